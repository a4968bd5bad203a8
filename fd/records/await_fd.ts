/**
 * Waiting for what another process writes. It is looked for with growing pauses: files say by themselves whether there is
 * news, so none can be missed, on any file system and between any containers that share one.
 *
 * @module
 */

import { disk } from "../disk/disk.ts";
import type { FdEntry } from "./fd_entry.ts";
import { formatFd } from "../store/fd_id.ts";
import { findFd, isBeingWritten } from "./find_fd.ts";
import type { Store } from "../store/open_store.ts";

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 200;

/** What is waited for, and until when (as `performance.now` counts; for ever where there is no limit). */
export interface Awaited {
  /** `news`: more content, or the end. */
  for: "news" | "end";
  deadlineMs?: number | undefined;
}

/** Resolves with the fd as it is when there is what was awaited, or when the time is over. At once for an fd that has ended. */
export async function awaitFd(store: Store, entry: FdEntry, awaited: Awaited): Promise<FdEntry> {
  const { deadlineMs = Infinity } = awaited;
  if (entry.state !== "live") return entry;
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const leftMs = deadlineMs - performance.now();
    if (leftMs <= 0) break;
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, leftMs)));
    if (awaited.for === "news" && hasGrown(entry)) break;
    if (!isBeingWritten(store, entry.id)) break;
  }
  return findFd(store, formatFd(entry.id));
}

function hasGrown({ contentPath, arrived }: FdEntry): boolean {
  const size = disk.stat(contentPath, { throwIfNoEntry: false })?.size ?? 0;
  return size !== arrived?.fileBytes;
}
