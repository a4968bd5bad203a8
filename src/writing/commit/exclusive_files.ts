/**
 * Files that no plan can write together, or at all: two names of one file, and a file below what is, or is to become, a
 * file. Each by itself passes its checks; only applying them would meet it, with half of the files in place.
 *
 * @module
 */

import { dirname } from "node:path";
import { disk } from "../../../fd/mod.ts";
import type { Target } from "./inspect_target.ts";
import type { PlanProblem } from "../../terms/write_failure.ts";

/** A file that a plan writes, and where the plan names it: `plans[1].target_file`. */
export interface NamedTarget {
  at: string;
  target: Target;
}

/** What stands between the files, told at the later one of two. */
export function exclusiveFiles(files: readonly NamedTarget[]): PlanProblem[] {
  const byRealPath = new Map(files.map((each) => [each.target.realPath, each]));
  const byInode = new Map<string, Target>();
  const problems: PlanProblem[] = [];
  for (const { at, target } of files) {
    const { path, realPath, file } = target;
    if (file !== undefined) {
      const inode = `${file.stamp.device}:${file.stamp.inode}`;
      const other = byInode.get(inode);
      if (other === undefined) byInode.set(inode, target);
      else {
        const problem = `${path} and ${other.path} are the same file (hard links); list it once`;
        problems.push({ at, problem });
      }
      continue;
    }
    const above = plannedAbove(realPath, byRealPath);
    if (above !== undefined) {
      const order = files.indexOf(above) > files.findIndex((each) => each.target === target);
      const problem =
        `${path} cannot be created: the plan writes ${above.target.path} as a file, not a directory`;
      problems.push({ at: order ? above.at : at, problem });
    } else if (!isBelowDirectory(realPath)) {
      problems.push({ at, problem: `${path} cannot be created: a path component is not a directory` });
    }
  }
  return problems;
}

/** The file of the plan that would be a directory on the way to `realPath`. */
function plannedAbove(
  realPath: string,
  byRealPath: ReadonlyMap<string, NamedTarget>,
): NamedTarget | undefined {
  for (let above = dirname(realPath); above !== dirname(above); above = dirname(above)) {
    const planned = byRealPath.get(above);
    if (planned !== undefined) return planned;
  }
  return undefined;
}

/** Whether the nearest thing that is there above `realPath` is a directory; true where that cannot be seen. */
function isBelowDirectory(realPath: string): boolean {
  for (let above = dirname(realPath); above !== dirname(above); above = dirname(above)) {
    try {
      const stat = disk.lstat(above, { throwIfNoEntry: false });
      if (stat !== undefined) return stat.isDirectory();
    } catch {
      // Below a file (ENOTDIR) the look one level up finds it; what may not be looked at, applying will meet.
    }
  }
  return true;
}
