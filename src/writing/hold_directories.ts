/**
 * The directories that a write works in, held open: a path is checked once, against the directory that was really opened,
 * and from then on every step goes through that directory, wherever its name leads meanwhile. Without this, somebody who
 * swaps a directory for a link between the check and the rename leads the write out of the root.
 *
 * Names are reached through `/proc/self/fd`. Where there is none (other systems than Linux), paths are taken as they are.
 *
 * @module
 */

import { constants } from "node:fs";
import { basename, dirname, join } from "node:path";
import { closeReader, disk, fail, FdError, systemCode } from "../../fd/mod.ts";
import { isInside, resolveRealPath } from "./resolve_path.ts";
import { refuse } from "./write_failure.ts";

/** Directories that are held until `release`. */
export interface HeldDirectories {
  /** The path by which to reach `realPath` in its directory, as that was when it was first asked for. */
  at(realPath: string): string;
  /** `thrown`, with the real path in the place of the one by which it was reached. */
  named(thrown: unknown): unknown;
  release(): void;
}

/** What confines them: as the caller gave it. */
export interface Confinement {
  cwd: string;
  root: string | undefined;
}

const DESCRIPTORS = "/proc/self/fd";
/** Without O_DIRECTORY, with which a link is told from a file no more. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Begins to hold directories. With a root, one that lies outside of it is refused. */
export function holdDirectories({ cwd, root }: Confinement): HeldDirectories {
  const realRoot = root === undefined ? undefined : resolveRealPath(root, cwd);
  const held = new Map<string, { handle: number; path: string }>();
  const hold = (directory: string): string => {
    const known = held.get(directory);
    if (known !== undefined) return known.path;
    const handle = openDirectory(directory);
    if (handle === undefined) return directory;
    const path = `${DESCRIPTORS}/${handle}`;
    const real = realPathOf(path);
    if (real === undefined) {
      closeReader(handle);
      return directory;
    }
    if (realRoot !== undefined && !isInside(real, realRoot)) {
      closeReader(handle);
      fail({ kind: "outside_root", path: directory, root: root! });
    }
    held.set(directory, { handle, path });
    return path;
  };
  return {
    at: (realPath) => join(hold(dirname(realPath)), basename(realPath)),
    named(thrown) {
      if (!(thrown instanceof FdError) || !("path" in thrown.failure)) return thrown;
      const { failure } = thrown;
      for (const [directory, { path }] of held) {
        if (failure.path !== path && !failure.path.startsWith(`${path}/`)) continue;
        return new FdError({ ...failure, path: directory + failure.path.slice(path.length) });
      }
      return thrown;
    },
    release() {
      for (const { handle } of held.values()) closeReader(handle);
      held.clear();
    },
  };
}

/** Undefined where there is no directory to hold; what is done in it will say so. */
function openDirectory(directory: string): number | undefined {
  try {
    return disk.open(directory, FLAGS);
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    // It was a real path when it was checked.
    if (code === "ELOOP") {
      refuse({
        kind: "stale_file",
        path: directory,
        expectedSha256: undefined,
        actualSha256: undefined,
        what: "a link took the place of the directory",
      });
    }
    return undefined;
  }
}

/** Where a directory that is held really is; undefined where the system does not tell. */
function realPathOf(path: string): string | undefined {
  try {
    return disk.readlink(path) as string;
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return undefined;
  }
}
