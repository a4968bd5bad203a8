/**
 * Numbered logs other than those of fds: the journal's transactions and the questions that wait for an answer. Numbers
 * are taken as ids of fds are (`claim_id.ts`), lines are checked as theirs are (`checked_log.ts`).
 *
 * @module
 */

import { claimId, highestNumber } from "./claim_id.ts";
import { appendCheckedLine, readCheckedLines, readCheckedLog, writeCheckedLine } from "./checked_log.ts";
import { disk } from "./disk.ts";
import { fail, failureOfSystem } from "./errors.ts";
import type { Store } from "./open_store.ts";
import { inquiryNumbers, journalNumbers, type Numbering } from "./store_paths.ts";
import { syncDirectory } from "./sync_directory.ts";

/** `tx` for transactions, `inq` for questions: also what stands before the colon of their handles. */
export type LogFamily = "tx" | "inq";

const NUMBERS: Readonly<Record<LogFamily, Numbering>> = { tx: journalNumbers(), inq: inquiryNumbers() };

/**
 * Takes the next number of a family and writes the log's first line, so that its name and content are on the disk. What has
 * to be there before that line is made by `taken`, which is told the number.
 */
export function startLog(
  store: Store,
  family: LogFamily,
  firstLine: unknown,
  taken: (id: number) => void = () => {},
): number {
  const { id, recordFile } = claimId(store, NUMBERS[family]);
  const path = NUMBERS[family].recordPath(store.path, id);
  try {
    try {
      taken(id);
      writeCheckedLine(recordFile, firstLine);
      disk.fsync(recordFile);
    } finally {
      disk.close(recordFile);
    }
    syncDirectory(NUMBERS[family].shardPath(store.path, id));
  } catch (thrown) {
    return fail(failureOfSystem(thrown, "write", "begin the record", path));
  }
  return id;
}

/** Appends a line to a log that was started, and syncs it if `durable`. */
export function appendToLog(
  store: Store,
  family: LogFamily,
  id: number,
  line: unknown,
  durable: boolean,
): void {
  appendCheckedLine(NUMBERS[family].recordPath(store.path, id), line, durable);
}

/** The lines of a log that hold, in order; undefined where the number was never taken. */
export function readLogLines(store: Store, family: LogFamily, id: number): unknown[] | undefined {
  const bytes = readCheckedLog(NUMBERS[family].recordPath(store.path, id), `${family}:${id}`);
  if (bytes === undefined) return undefined;
  const lines: unknown[] = [];
  readCheckedLines(bytes, (value) => {
    if (value !== undefined) lines.push(value);
  });
  return lines;
}

/** The highest number that was ever taken; 0 where none was. */
export function highestLogId(store: Store, family: LogFamily): number {
  return highestNumber(store, NUMBERS[family]);
}
