/**
 * The directories that a write works in, pinned open: a path is checked once, against the directory that was really opened,
 * and from then on every step goes through that directory, wherever its name leads meanwhile. Without this, somebody who
 * swaps a directory for a link between the check and the rename leads the write out of the root.
 *
 * Only so many are open at a time, since a process may not open more: of the others it is remembered which they are, and
 * one that is wanted again is opened again and must be the same.
 *
 * Names are reached through `/proc/self/fd`. Where there is none (other systems than Linux), paths are taken as they are.
 *
 * @module
 */

import { constants } from "node:fs";
import { basename, dirname, join } from "node:path";
import { closeReader, disk, fail, failureOfSystem, FdError, systemCode } from "../../../fd/mod.ts";
import { isInside, resolveRealPath } from "./resolve_path.ts";
import { refuse } from "../../terms/write_failure.ts";

/** Directories that are pinned until `release`. */
export interface PinnedDirectories {
  /**
   * The path by which to reach `realPath` in its directory, as that was when it was first asked for. Valid until some
   * dozens of others were asked for.
   */
  at(realPath: string): string;
  /** `thrown`, with the real path in the place of the one by which it was reached. */
  named(thrown: unknown): unknown;
  /** Closes what is open, and goes on holding to what they were: for what wants descriptors itself. */
  closeAll(): void;
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

/** So many are open at most: limits of 256 open files are common, and a write itself needs some. */
const MOST_OPEN = 64;

/** A directory that is, or was, pinned: open where there is a handle. */
interface PinnedDirectory {
  handle: number | undefined;
  path: string;
  device: bigint;
  inode: bigint;
}

/** Begins to hold directories. With a root, one that lies outside of it is refused. */
export function pinDirectories({ cwd, root }: Confinement): PinnedDirectories {
  const realRoot = root === undefined ? undefined : resolveRealPath(root, cwd);
  const pinned = new Map<string, PinnedDirectory>();
  /** Those that are open, the one that was used last at the end. */
  const open = new Map<string, PinnedDirectory>();
  const closeOldest = (most: number) => {
    for (const [directory, known] of open) {
      if (open.size <= most) return;
      open.delete(directory);
      closeReader(known.handle!);
      known.handle = undefined;
    }
  };
  const pin = (directory: string): string => {
    const known = pinned.get(directory);
    if (known?.handle !== undefined) {
      open.delete(directory);
      open.set(directory, known);
      return known.path;
    }
    closeOldest(MOST_OPEN - 1);
    const handle = openDirectory(directory);
    if (handle === undefined) return known === undefined ? directory : refuseSwapped(directory);
    const opened = lookAt(handle);
    if (opened === undefined) {
      closeReader(handle);
      return directory;
    }
    const { real, ...identity } = opened;
    const isAnother = known !== undefined &&
      (known.device !== identity.device || known.inode !== identity.inode);
    if (isAnother) {
      closeReader(handle);
      return refuseSwapped(directory);
    }
    if (realRoot !== undefined && !isInside(real, realRoot)) {
      closeReader(handle);
      fail({ kind: "outside_root", path: directory, root: root! });
    }
    const fresh = { handle, path: descriptorPath(handle), ...identity };
    pinned.set(directory, fresh);
    open.set(directory, fresh);
    return fresh.path;
  };
  return {
    at: (realPath) => join(pin(dirname(realPath)), basename(realPath)),
    named(thrown) {
      if (!(thrown instanceof FdError) || !("path" in thrown.failure)) return thrown;
      const { failure } = thrown;
      for (const [directory, { path }] of open) {
        if (failure.path !== path && !failure.path.startsWith(`${path}/`)) continue;
        return new FdError({ ...failure, path: directory + failure.path.slice(path.length) });
      }
      return thrown;
    },
    closeAll: () => closeOldest(0),
    release() {
      closeOldest(0);
      pinned.clear();
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
    if (code === "ELOOP") refuseStale(directory, "the directory was replaced by a link during the write");
    // Not pinned means not protected: what may be opened and only now cannot be is no reason for that.
    if (code === "EMFILE" || code === "ENFILE") fail(failureOfSystem(thrown, "write", "open", directory));
    return undefined;
  }
}

function refuseSwapped(directory: string): never {
  return refuseStale(directory, "the directory was replaced during the write");
}

function refuseStale(path: string, what: string): never {
  return refuse({ kind: "stale_file", path, expectedSha256: undefined, actualSha256: undefined, what });
}

function descriptorPath(handle: number): string {
  return `${DESCRIPTORS}/${handle}`;
}

/** Where a directory that was opened really is, and which it is; undefined where the system does not tell. */
function lookAt(handle: number): { real: string; device: bigint; inode: bigint } | undefined {
  try {
    const real = disk.readlink(descriptorPath(handle)) as string;
    const { dev: device, ino: inode } = disk.fstat(handle, { bigint: true });
    return { real, device, inode };
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return undefined;
  }
}
