/**
 * Keeps the directories of a write open: a path is checked once, against the directory that was opened, and every
 * later step goes through that directory, wherever its name leads by then. Otherwise a directory swapped for a link
 * between check and rename would lead the write out of the root.
 *
 * The number of open ones is limited, since processes have a limit: the others are identified by inode, and must be
 * the same when they are opened again.
 *
 * Files are reached through `/proc/self/fd`. On systems without it, paths are used as they are.
 */

import { constants } from "node:fs";
import { basename, dirname, join } from "node:path";
import { closeReader, disk, fail, failureOfSystem, FdError, systemCode } from "../../../fd/mod.ts";
import { isInside, resolveRealPath } from "./resolve_path.ts";
import { refuse } from "../../terms/write_failure.ts";

/** Directories that are pinned until `release`. */
export interface PinnedDirectories {
  /** The path to reach `realPath` in its pinned directory. Valid until dozens of others were asked for. */
  at(realPath: string): string;
  /** Returns `thrown` with the real path instead of the one by which it was reached. */
  named(thrown: unknown): unknown;
  /** Closes all, but still identifies them: for callers that need descriptors themselves. */
  closeAll(): void;
  release(): void;
}

export interface Confinement {
  cwd: string;
  root: string | undefined;
}

const DESCRIPTORS = "/proc/self/fd";
/** Without O_DIRECTORY, which would make a link indistinguishable from a file. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Limits of 256 open files are common, and a write needs some itself. */
const MAX_OPEN = 64;

/** A pinned directory, open if it has a handle. */
interface PinnedDirectory {
  handle: number | undefined;
  path: string;
  device: bigint;
  inode: bigint;
}

/** Starts to pin directories. Refuses one outside of the root. */
export function pinDirectories({ cwd, root }: Confinement): PinnedDirectories {
  const realRoot = root === undefined ? undefined : resolveRealPath(root, cwd);
  const pinned = new Map<string, PinnedDirectory>();
  /** The open ones, least recently used first. */
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
    closeOldest(MAX_OPEN - 1);
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

/** Opens a directory. Returns undefined if there is none; using it will fail with the reason. */
function openDirectory(directory: string): number | undefined {
  try {
    return disk.open(directory, FLAGS);
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    // The path was free of links when it was checked.
    if (code === "ELOOP") refuseStale(directory, "the directory was replaced by a link during the write");
    // Unpinned means unprotected, which a lack of descriptors does not justify.
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

/** The real path and identity of an open directory. Returns undefined if the system does not report them. */
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
