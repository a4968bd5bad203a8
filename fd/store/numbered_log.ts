/**
 * Numbered logs other than those of fds: the journal's transactions and the questions that wait for an answer. Numbers
 * are taken as ids of fds are (`claim_id.ts`), lines are checked as theirs are (`checked_log.ts`).
 *
 * @module
 */

import { constants, type Stats } from "node:fs";
import { claimId, highestNumber, lastHinted, readFloor } from "./claim_id.ts";
import { appendCheckedLine, readCheckedLines, readCheckedLog, writeCheckedLine } from "./checked_log.ts";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem, systemCode } from "../disk/errors.ts";
import { type Store } from "./open_store.ts";
import { IDS_PER_SHARD, inquiryNumbers, journalNumbers, type Numbering } from "./store_paths.ts";
import { syncDirectory } from "../disk/sync_directory.ts";
import { isMarked } from "./transaction_marks.ts";
import { NO_FOLLOW } from "../disk/private_files.ts";

/** `tx` for transactions, `inq` for questions: also what stands before the colon of their handles. */
export type LogFamily = "tx" | "inq";

/** Where the logs of each family are. */
export const NUMBERS: Readonly<Record<LogFamily, Numbering>> = {
  tx: journalNumbers(),
  inq: inquiryNumbers(),
};

/**
 * Takes the next number of a family and writes the log's first line, with the number in it, so that its name and content
 * are on the disk. What has to be there before that line is made by `taken`, which is told the number.
 */
export function startLog(
  store: Store,
  family: LogFamily,
  firstLine: Readonly<Record<string, unknown>>,
  taken: (id: number) => void = () => {},
): number {
  const { id, recordFile } = claimId(store, NUMBERS[family]);
  const path = NUMBERS[family].recordPath(store.path, id);
  try {
    try {
      taken(id);
      writeCheckedLine(recordFile, { ...firstLine, number: id });
      disk.fsync(recordFile);
    } catch (thrown) {
      leaveUnbegun(store, family, id);
      throw thrown;
    } finally {
      disk.close(recordFile);
    }
    syncDirectory(NUMBERS[family].shardPath(store.path, id));
  } catch (thrown) {
    return fail(failureOfSystem(thrown, "write", "begin the record", path));
  }
  return id;
}

/** When a log was last written that says nothing because it was never begun. */
const NEVER_SECONDS = 0;

/**
 * Leaves the log of a number that was taken, and came to nothing, as one that never said a word, so that it is not taken
 * for one that was emptied. Where that fails, it is.
 */
export function leaveUnbegun(store: Store, family: LogFamily, id: number): void {
  const path = logPath(store, family, id);
  try {
    const file = disk.open(path, constants.O_WRONLY | NO_FOLLOW);
    try {
      disk.ftruncate(file, 0);
    } finally {
      disk.close(file);
    }
    disk.utimes(path, NEVER_SECONDS, NEVER_SECONDS);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
}

/**
 * What is to be said of a log as a file: `unbegun`, where its number was taken and nothing was written yet; `emptied`, where
 * something was (it was written to after it was made); `missing`, where a number below the highest has none.
 */
export function logCondition(
  store: Store,
  family: LogFamily,
  id: number,
): "there" | "unbegun" | "emptied" | "missing" {
  const path = NUMBERS[family].recordPath(store.path, id);
  let stat: Stats | undefined;
  try {
    stat = disk.lstat(path, { throwIfNoEntry: false });
  } catch (thrown) {
    fail(failureOfSystem(thrown, "read", "look at the record", path));
  }
  if (stat === undefined) return id > readFloor(store, NUMBERS[family]) ? "missing" : "unbegun";
  if (!stat.isFile()) return "there";
  // What has begun is marked first, and does nothing before its first line is whole.
  if (family === "tx" && isMarked(store, id) && !hasLine(store, id)) return "unbegun";
  if (stat.size > 0) return "there";
  return stat.birthtimeMs > 0 && stat.mtimeMs > stat.birthtimeMs ? "emptied" : "unbegun";
}

/** The file that holds a log. */
export function logPath(store: Store, family: LogFamily, id: number): string {
  return NUMBERS[family].recordPath(store.path, id);
}

function hasLine(store: Store, id: number): boolean {
  return readCheckedLog(logPath(store, "tx", id), `tx:${id}`)?.includes(LINE_FEED) ?? false;
}

const LINE_FEED = 0x0a;

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

/**
 * The lines of a log that hold, in order; undefined where the number was never taken. `onDamage` is told how many bytes are no
 * line, where some are.
 */
export function readLogLines(
  store: Store,
  family: LogFamily,
  id: number,
  onDamage: (byteCount: number) => void = () => {},
): unknown[] | undefined {
  const bytes = readCheckedLog(NUMBERS[family].recordPath(store.path, id), `${family}:${id}`);
  if (bytes === undefined) return undefined;
  const lines: unknown[] = [];
  let damagedBytes = 0;
  readCheckedLines(bytes, (value, byteLength) => {
    if (value === undefined) damagedBytes += byteLength;
    else lines.push(value);
  });
  if (damagedBytes > 0) onDamage(damagedBytes);
  return lines;
}

/**
 * The highest number that was ever taken, though its log be gone: the hint, which never runs ahead, may know. What is far
 * beyond the logs that are there is no hint.
 */
export function lastLogId(store: Store, family: LogFamily): number {
  const highest = highestLogId(store, family);
  const hinted = lastHinted(store, NUMBERS[family]);
  return hinted <= highest + IDS_PER_SHARD ? Math.max(highest, hinted) : highest;
}

/** The highest number of which there is a log; 0 where there is none. */
export function highestLogId(store: Store, family: LogFamily): number {
  return highestNumber(store, NUMBERS[family]);
}
