/**
 * Finds files that a plan cannot write together, or at all: two names of one file, and a file below a file. Each
 * passes its own checks; without this the plan would fail with half of the files in place.
 */

import { dirname } from "node:path";
import { disk } from "../../../fd/mod.ts";
import type { Target } from "./inspect_target.ts";
import type { PlanProblem } from "../../terms/write_failure.ts";

/** A file that a plan writes, and the field that names it: `plans[1].target_file`. */
export interface NamedTarget {
  at: string;
  target: Target;
}

/** Reports each conflict at the later one of two files. */
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

/** The file of the plan that is a parent of `realPath`. */
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

/** Whether the nearest existing parent of `realPath` is a directory; true if that cannot be checked. */
function isBelowDirectory(realPath: string): boolean {
  for (let above = dirname(realPath); above !== dirname(above); above = dirname(above)) {
    try {
      const stat = disk.lstat(above, { throwIfNoEntry: false });
      if (stat !== undefined) return stat.isDirectory();
    } catch {
      // Below a file (ENOTDIR) the next level finds it; a parent without permission fails when the plan is applied.
    }
  }
  return true;
}
