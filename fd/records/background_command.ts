/**
 * Records the command that writes an fd in the background, and requests to stop it. The writer itself stops it, since
 * only the writer knows what it started.
 */

import { appendLine } from "./append_record.ts";
import type { Store } from "../store/open_store.ts";
import { readLog } from "./record_log.ts";
import type { StopLine } from "./record_line.ts";
import { identityOf, type WriterIdentity } from "../store/writer_identity.ts";

/** A request to stop a command: a signal to its process group and, after the grace period, KILL. */
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

/** Records a request to stop the writer of fd `id`. The caller must still notify the writer. */
export function recordStop(store: Store, id: number, { signal, graceMs }: StopRequest): void {
  const line: StopLine = { event: "stop", at: Date.now(), signal, grace_ms: graceMs };
  appendLine(store, id, line, false);
}

/** Returns the last request to stop one of these fds. */
export function lastStop(store: Store, ids: readonly number[]): StopRequest | undefined {
  const stops = ids.map((id) => readLog(store, id)?.stop).filter((stop) => stop !== undefined);
  const last = stops.sort((a, b) => a.at - b.at).at(-1);
  return last && { signal: last.signal, graceMs: last.grace_ms };
}
