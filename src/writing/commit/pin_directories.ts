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
import {
  atEnd,
  closeReader,
  disk,
  fail,
  failureOfSystem,
  FdError,
  ifPossible,
  systemCode,
} from "../../../fd/system.ts";
import { type Confinement, descriptorPath, judgeOpened, type Root, rootOf } from "./open_inside.ts";
import { refuseStale } from "../../calls/terms/write_failure.ts";

/** Without O_DIRECTORY, which would make a link indistinguishable from a file. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Limits of 256 open files are common, and a write needs some itself. */
const MAX_OPEN = 64;

/** A directory that was opened, and still is if it has a handle. */
interface PinnedDirectory {
  handle: number | undefined;
  device: bigint;
  inode: bigint;
}

/** Runs `action`, whose directories are pinned until it ends. A failure of it has real paths. */
export async function withPinned<T>(
  confinement: Confinement,
  action: (pinned: PinnedDirectories) => Promise<T> | T,
): Promise<T> {
  const pinned = new PinnedDirectories(confinement);
  try {
    return await action(pinned);
  } catch (thrown) {
    throw pinned.named(thrown);
  } finally {
    pinned.closeOldest(0);
  }
}

/** Pins directories. Refuses one outside of the root. */
export class PinnedDirectories {
  private readonly root: Root | undefined;
  private readonly pinned = new Map<string, PinnedDirectory>();
  /** The open ones, least recently used first. */
  private readonly open = new Map<string, PinnedDirectory>();

  constructor(confinement: Confinement) {
    this.root = rootOf(confinement);
  }

  /** The path to reach `realPath` in its pinned directory. Valid until dozens of others were asked for. */
  at(realPath: string): string {
    const directory = dirname(realPath);
    let pinned = this.pinned.get(directory);
    if (pinned?.handle === undefined) {
      this.closeOldest(MAX_OPEN - 1);
      pinned = this.opened(directory, pinned);
      // The system has no such paths, or there is no directory; using it will fail with the reason.
      if (pinned === undefined) return realPath;
      this.pinned.set(directory, pinned);
    }
    this.open.delete(directory);
    this.open.set(directory, pinned);
    return join(descriptorPath(pinned.handle!), basename(realPath));
  }

  private opened(directory: string, known: PinnedDirectory | undefined): PinnedDirectory | undefined {
    const swapped = "the directory was replaced during the write";
    let handle: number;
    try {
      handle = disk.open(directory, FLAGS);
    } catch (thrown) {
      const code = systemCode(thrown);
      if (code === undefined) throw thrown;
      // The path was free of links when it was checked.
      if (code === "ELOOP") refuseStale(directory, "the directory was replaced by a link during the write");
      // Unpinned means unprotected, which a lack of descriptors does not justify.
      if (code === "EMFILE" || code === "ENFILE") fail(failureOfSystem(thrown, "write", "open", directory));
      return known && refuseStale(directory, swapped);
    }
    let isPinned = false;
    using _handle = atEnd(() => isPinned || closeReader(handle));
    const stat = ifPossible(() => disk.fstat(handle, { bigint: true }));
    if (stat === undefined) return undefined;
    const { dev: device, ino: inode } = stat;
    if (known !== undefined && (known.device !== device || known.inode !== inode)) {
      return refuseStale(directory, swapped);
    }
    isPinned = judgeOpened(handle, directory, this.root);
    return isPinned ? { handle, device, inode } : undefined;
  }

  /** Returns `thrown` with the real path instead of the one by which it was reached. */
  named(thrown: unknown): unknown {
    if (!(thrown instanceof FdError) || !("path" in thrown.failure)) return thrown;
    const { failure } = thrown;
    for (const [directory, { handle }] of this.open) {
      const path = descriptorPath(handle!);
      if (failure.path !== path && !failure.path.startsWith(`${path}/`)) continue;
      return new FdError({ ...failure, path: directory + failure.path.slice(path.length) });
    }
    return thrown;
  }

  /** Leaves only `most` open, for callers that need descriptors themselves. All are still identified. */
  closeOldest(most: number): void {
    for (const [directory, pinned] of this.open) {
      if (this.open.size <= most) return;
      this.open.delete(directory);
      closeReader(pinned.handle!);
      pinned.handle = undefined;
    }
  }
}
