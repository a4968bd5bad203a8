/**
 * Judges what was opened, not the path by which it was opened: between check and open, a name can be swapped for a link that
 * leads out of the root. Reading and writing share this rule.
 */

import { constants } from "node:fs";
import { closeReader, disk, fail, ifPossible, openRegular, orUndo } from "../../../fd/system.ts";
import { isInside, resolveRealPath } from "./resolve_path.ts";

const DESCRIPTORS = "/proc/self/fd";
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** The directory in which a path is resolved, and the root that confines it. */
export interface Confinement {
  cwd: string;
  /** As the caller gave it, relative to `cwd`. */
  root: string | undefined;
}

/** The path of what `handle` has open. Missing on systems without `/proc`. */
export function descriptorPath(handle: number): string {
  return `${DESCRIPTORS}/${handle}`;
}

/** A root, as the caller gave it and as it really is. */
export interface Root {
  given: string;
  real: string;
}

export function rootOf({ cwd, root }: Confinement): Root | undefined {
  return root === undefined ? undefined : { given: root, real: resolveRealPath(root, cwd) };
}

/**
 * Refuses an open file or directory that really is outside of `root`. Returns whether the system reports where it is.
 * Messages have `path`.
 *
 * @throws {FdError} `outside_root`.
 */
export function judgeOpened(handle: number, path: string, root: Root | undefined, action?: string): boolean {
  const real = ifPossible(() => disk.readlink(descriptorPath(handle)) as string);
  if (real !== undefined && root !== undefined && !isInside(real, root.real)) {
    fail({ kind: "outside_root", path, root: root.real, action });
  }
  return real !== undefined;
}

/**
 * Opens the regular file at `realPath` to read it. Messages have `path`.
 *
 * @throws {FdError} `outside_root`, and the failures of {@link openRegular}.
 */
export function openInside(realPath: string, path: string, confinement?: Confinement): number {
  const file = openRegular(realPath, path, NO_FOLLOW);
  return orUndo(() => {
    judgeOpened(file, path, confinement && rootOf(confinement), "read");
    return file;
  }, () => closeReader(file));
}
