/** Fds that another process is writing: waiting for them, the command that writes, and requests to stop it. */

import { disk } from "../disk/disk.ts";
import type { Store } from "../store/open_store.ts";
import type { FdEntry } from "./fd_entry.ts";
import { findFd, isBeingWritten } from "./find_fd.ts";
import { formatFd } from "../store/fd_id.ts";
import { identityOf, type WriterIdentity } from "../store/writer_identity.ts";
import { appendLine, readLog } from "./record_log.ts";
import { momentNow, type StopLine } from "./record_line.ts";

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

/**
 * Resolves with the current fd when the condition is met or time is up; immediately if the fd has ended. Polls with
 * increasing intervals: the files alone show whether an fd has changed, so nothing can be missed, on any file system
 * and between containers that share one.
 */
export async function awaitFd(store: Store, entry: FdEntry, awaited: Awaited): Promise<FdEntry> {
  const { deadlineMs = Infinity } = awaited;
  if (entry.state !== "live") return entry;
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const leftMs = deadlineMs - performance.now();
    if (leftMs <= 0) break;
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, leftMs)));
    if (awaited.for === "news" && hasGrown(entry)) break;
    await store.backend.refresh({ kind: "record", id: entry.id });
    if (!isBeingWritten(store, entry.id)) break;
    awaited.onLook?.();
  }
  return findFd(store, formatFd(entry.id));
}

function hasGrown({ contentPath, arrived }: FdEntry): boolean {
  const size = disk.stat(contentPath, { throwIfNoEntry: false })?.size ?? 0;
  return size !== arrived?.fileBytes;
}

/** A request to stop a command that writes : a signal to its process group and, after the grace period, KILL. */
export interface StopRequest {
  signal: string;
  graceMs: number;
}

/** The processes that write an fd. */
export interface BackgroundWriter {
  writer: WriterIdentity;
  /** The command, leader of its own process group. */
  command: WriterIdentity;
}

/** Records the process whose output this process writes to fd `id`. */
export function recordCommand(store: Store, id: number, pid: number): void {
  appendLine(store, id, { event: "command", process: identityOf(pid) }, false);
}

/** Returns the processes that write, or wrote, fd `id` in the background; undefined if there are none. */
export function backgroundWriter(store: Store, id: number): BackgroundWriter | undefined {
  const log = readLog(store, id);
  if (log?.claim === undefined || log.command === undefined) return undefined;
  return { writer: log.claim.writer, command: log.command.process };
}

/**
 * Records a request to stop the writer of fd `id`. The caller must still notify the writer, which alone knows what it
 * started, and stops it.
 */
export function recordStop(store: Store, id: number, { signal, graceMs }: StopRequest): void {
  const line: StopLine = { event: "stop", at: momentNow(), signal, grace_ms: graceMs };
  appendLine(store, id, line, false);
}

/** Returns the last request to stop one of these fds. */
export function lastStop(store: Store, ids: readonly number[]): StopRequest | undefined {
  const stops = ids.map((id) => readLog(store, id)?.stop).filter((stop) => stop !== undefined);
  const last = stops.sort((a, b) => a.at - b.at).at(-1);
  return last && { signal: last.signal, graceMs: last.grace_ms };
}
