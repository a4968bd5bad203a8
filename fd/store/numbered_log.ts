/**
 * Numbered logs other than fd records: journal transactions and inquiries. Numbers are claimed like fd ids
 * (`claim_id.ts`), and lines are checksummed (`checked_log.ts`).
 */

import { constants } from "node:fs";
import { disk } from "../disk/disk.ts";
import { attempt, ifPossible, orUndo } from "../disk/errors.ts";
import { inWritten, syncDirectory } from "../disk/file_calls.ts";
import { NO_FOLLOW } from "../disk/private_files.ts";
import { checkedLineAt, readCheckedLog, wholeLines, writeCheckedLine } from "./checked_log.ts";
import { claimNumber, highestNumber, lastHinted, readFloor } from "./claim_id.ts";
import type { Store } from "./open_store.ts";
import { NUMBERS } from "./further_paths.ts";
import { IDS_PER_SHARD, recordPath, shardPath } from "./store_paths.ts";
import { isMarked } from "./transaction_marks.ts";

/** `tx` for transactions, `inq` for inquiries; also the prefix of their handles. */
export type LogFamily = keyof typeof NUMBERS;

/**
 * Claims the next number of a family and durably writes the log's first line, with the number added. Calls `taken`
 * with the number before writing that line, to create files that must exist first.
 */
export function startLog(
  store: Store,
  family: LogFamily,
  firstLine: Readonly<Record<string, unknown>>,
  taken: (id: number) => void = () => {},
): number {
  const { id, recordFile } = claimNumber(store, NUMBERS[family]);
  const path = recordPath(store.path, id, NUMBERS[family]);
  const start = () => {
    taken(id);
    writeCheckedLine(recordFile, { ...firstLine, number: id });
    disk.fsync(recordFile);
  };
  attempt("write", "start the record", path, () => {
    inWritten(recordFile, () => orUndo(start, () => leaveUnstarted(store, family, id)));
    syncDirectory(shardPath(store.path, id, NUMBERS[family]));
  }, "content");
  return id;
}

/** Modification time of a log that was never started. */
const NEVER_SECONDS = 0;

/**
 * Marks the log of a claimed number as never started, so that it is not reported as emptied. Ignores system errors;
 * the log is then reported.
 */
export function leaveUnstarted(store: Store, family: LogFamily, id: number): void {
  const path = logPath(store, family, id);
  ifPossible(() => {
    inWritten(disk.open(path, constants.O_WRONLY | NO_FOLLOW), (file) => disk.ftruncate(file, 0));
    disk.utimes(path, NEVER_SECONDS, NEVER_SECONDS);
  });
}

/**
 * Returns the condition of a log file: `unstarted` if its number was claimed but nothing written yet; `emptied` if it
 * was written to after its creation; `missing` if it does not exist but its number is above the floor.
 */
export function logCondition(
  store: Store,
  family: LogFamily,
  id: number,
): "present" | "unstarted" | "emptied" | "missing" {
  const path = recordPath(store.path, id, NUMBERS[family]);
  const stat = attempt("read", "look at the record", path, () => disk.lstat(path, { throwIfNoEntry: false }));
  if (stat === undefined) return id > readFloor(store, NUMBERS[family]) ? "missing" : "unstarted";
  if (!stat.isFile()) return "present";
  // A transaction is marked before its first line is written, and does nothing until that line is complete.
  const hasLine = () => readCheckedLog(logPath(store, "tx", id), `tx:${id}`)?.includes(LINE_FEED) === true;
  if (family === "tx" && isMarked(store, id) && !hasLine()) return "unstarted";
  if (stat.size > 0) return "present";
  return stat.birthtimeMs > 0 && stat.mtimeMs > stat.birthtimeMs ? "emptied" : "unstarted";
}

/** Returns the path of log `id` of a family. */
export function logPath(store: Store, family: LogFamily, id: number): string {
  return recordPath(store.path, id, NUMBERS[family]);
}

const LINE_FEED = 0x0a;

/**
 * Returns the valid lines of a log, in order, or undefined if the number was never claimed. Calls `onDamage` with the
 * number of bytes that are not valid lines, if any, without the start of a line at the end of an open transaction's log.
 */
export function readLogLines(
  store: Store,
  family: LogFamily,
  id: number,
  onDamage: (byteCount: number) => void = () => {},
): unknown[] | undefined {
  const bytes = readCheckedLog(recordPath(store.path, id, NUMBERS[family]), `${family}:${id}`);
  if (bytes === undefined) return undefined;
  const lines: unknown[] = [];
  let damagedBytes = 0;
  for (let line = checkedLineAt(bytes, 0); line !== undefined; line = checkedLineAt(bytes, line.end)) {
    if (line.value === undefined) damagedBytes += line.byteLength;
    else lines.push(line.value);
  }
  if (damagedBytes > 0 && family === "tx" && isMarked(store, id)) {
    damagedBytes -= bytes.length - wholeLines(bytes);
  }
  if (damagedBytes > 0) onDamage(damagedBytes);
  return lines;
}

/**
 * Returns the highest number ever claimed, even if its log is missing: the hint, which never runs ahead, may know it.
 * A hint far beyond the existing logs is ignored.
 */
export function lastLogId(store: Store, family: LogFamily): number {
  const highest = highestLogId(store, family);
  const hinted = lastHinted(store, NUMBERS[family]);
  return hinted <= highest + IDS_PER_SHARD ? Math.max(highest, hinted) : highest;
}

/** Returns the highest number that has a log, or 0. */
export function highestLogId(store: Store, family: LogFamily): number {
  return highestNumber(store, NUMBERS[family]);
}
