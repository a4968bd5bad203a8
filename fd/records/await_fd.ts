/**
 * Polls an fd that another process is writing, with increasing intervals. Its files alone show whether it has
 * changed, so nothing can be missed, on any file system and between containers that share one.
 */

import { disk } from "../disk/disk.ts";
import type { FdEntry } from "./fd_entry.ts";
import { formatFd } from "../store/fd_id.ts";
import { findFd, isBeingWritten } from "./find_fd.ts";
import type { Store } from "../store/open_store.ts";

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 200;

/** The condition to wait for, and a deadline (in `performance.now` time; no limit if absent). */
export interface Awaited {
  /** `news`: more content, or the end. */
  for: "news" | "end";
  deadlineMs?: number | undefined;
  /** Called each time the fd is looked at and the wait goes on. */
  onLook?: (() => void) | undefined;
}

/** Resolves with the current fd when the condition is met or time is up; immediately if the fd has ended. */
export async function awaitFd(store: Store, entry: FdEntry, awaited: Awaited): Promise<FdEntry> {
  const { deadlineMs = Infinity } = awaited;
  if (entry.state !== "live") return entry;
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const leftMs = deadlineMs - performance.now();
    if (leftMs <= 0) break;
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, leftMs)));
    if (awaited.for === "news" && hasGrown(entry)) break;
    await store.shared?.prepare({ kind: "record", id: entry.id });
    if (!isBeingWritten(store, entry.id)) break;
    awaited.onLook?.();
  }
  return findFd(store, formatFd(entry.id));
}

function hasGrown({ contentPath, arrived }: FdEntry): boolean {
  const size = disk.stat(contentPath, { throwIfNoEntry: false })?.size ?? 0;
  return size !== arrived?.fileBytes;
}
