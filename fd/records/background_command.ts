/**
 * What the record of an fd says of the command that writes it in the background: which process it is, and how somebody
 * asked for its end. The writer itself ends it, since only the writer knows what it started.
 *
 * @module
 */

import { appendLine } from "./append_record.ts";
import type { Store } from "../store/open_store.ts";
import { readLog } from "./record_log.ts";
import type { StopLine } from "./record_line.ts";
import { identityOf, type WriterIdentity } from "../store/writer_identity.ts";

/** How a command is to end: by a signal to its process group and, after the grace, KILL. */
export interface StopWish {
  /** A signal's name, `SIGTERM`. */
  signal: string;
  graceMs: number;
}

/** The processes behind an fd. */
export interface BackgroundWriter {
  writer: WriterIdentity;
  /** The command, which leads a process group of its own. */
  command: WriterIdentity;
}

/** Notes which process writes fd `id` by way of this one. */
export function recordCommand(store: Store, id: number, pid: number): void {
  appendLine(store, id, { event: "command", process: identityOf(pid) }, false);
}

/** Who writes fd `id` in the background, or wrote it; undefined where nobody does. */
export function backgroundWriter(store: Store, id: number): BackgroundWriter | undefined {
  const log = readLog(store, id);
  if (log?.claim === undefined || log.command === undefined) return undefined;
  return { writer: log.claim.writer, command: log.command.process };
}

/** Notes that fd `id` is to end. Its writer is still to be told to look. */
export function recordStop(store: Store, id: number, { signal, graceMs }: StopWish): void {
  const line: StopLine = { event: "stop", at: Date.now(), signal, grace_ms: graceMs };
  appendLine(store, id, line, false);
}

/** How somebody last asked for the end of one of these fds. */
export function lastStop(store: Store, ids: readonly number[]): StopWish | undefined {
  const stops = ids.map((id) => readLog(store, id)?.stop).filter((stop) => stop !== undefined);
  const last = stops.sort((a, b) => a.at - b.at).at(-1);
  return last && { signal: last.signal, graceMs: last.grace_ms };
}
