/** Writes to the record log of an fd (FORMAT.md, "Record log"). */

import { appendCheckedLine, writeCheckedLine } from "../store/checked_log.ts";
import type { Store } from "../store/open_store.ts";
import type { RecordLine } from "./record_line.ts";
import { recordPath } from "../store/store_paths.ts";

/** Appends one line to the existing log of `id`, and syncs it if `durable`. */
export function appendLine(store: Store, id: number, line: RecordLine, durable: boolean): void {
  appendCheckedLine(recordPath(store.path, id), line, durable);
}

/** Writes one line to a descriptor opened for appending. */
export function writeLine(file: number, line: RecordLine): void {
  writeCheckedLine(file, line);
}
