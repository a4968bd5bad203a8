/**
 * The record log of an fd: append-only checksummed JSON lines (FORMAT.md, "Record log"). The state of an fd follows
 * from its log alone.
 */

import { disk, pause } from "../disk/disk.ts";
import { isObjectForm } from "../packs/object_form.ts";
import { type ObjectRecord, readObject } from "./object_record.ts";
import {
  type ClaimLine,
  type CommandLine,
  type DenseLine,
  type DigestLine,
  isRecordLine,
  type RecordLine,
  type SealLine,
  type StopLine,
  type StoredLine,
  type TombLine,
} from "./record_line.ts";
import {
  appendCheckedLine,
  checkedLineAt,
  FIRST_LOG_BYTES,
  readLogFile,
  withLogFile,
} from "../store/checked_log.ts";
import type { Store } from "../store/open_store.ts";
import { recordPath } from "../store/store_paths.ts";

/** A decoded record log: the last line of each kind. */
export interface RecordLog {
  claim: ClaimLine | undefined;
  command: CommandLine | undefined;
  stop: StopLine | undefined;
  seal: SealLine | undefined;
  digest: DigestLine | undefined;
  dense: DenseLine | undefined;
  tomb: TombLine | undefined;
  /** Only of an fd on an object store. */
  stored: StoredLine | undefined;
  /** Bytes that are not valid lines, such as a truncated append. 0 in a healthy log. */
  damagedBytes: number;
  /** Set if the record has the content too. */
  object: ObjectRecord | undefined;
}

/**
 * Decodes a log, or adds `bytes` to what is known of one. Truncated, damaged and unknown lines are skipped and counted.
 */
export function decodeLog(bytes: Uint8Array, log: RecordLog = emptyLog()): RecordLog {
  for (let line = checkedLineAt(bytes, 0); line !== undefined; line = checkedLineAt(bytes, line.end)) {
    const { value, byteLength } = line;
    if (!isRecordLine(value)) {
      log.damagedBytes += byteLength;
      continue;
    }
    if (value.event !== "keep") (log as unknown as Record<string, RecordLine>)[value.event] = value;
    // A digest of content that was still growing is no longer valid.
    if (value.event === "seal") log.digest = undefined;
  }
  return log;
}

function emptyLog(): RecordLog {
  return {
    claim: undefined,
    command: undefined,
    stop: undefined,
    seal: undefined,
    digest: undefined,
    dense: undefined,
    tomb: undefined,
    stored: undefined,
    damagedBytes: 0,
    object: undefined,
  };
}

function decodeObjectLog(object: ObjectRecord): RecordLog {
  const log = decodeLog(object.record);
  log.object = object;
  if (object.appended.length > 0) decodeLog(object.appended, log);
  if (object.isInterrupted) {
    log.seal = undefined;
    log.damagedBytes = 0;
  }
  return log;
}

/**
 * Reads the log of `id`; returns undefined if the id was never claimed. Not cached, since any process may append. If
 * the record was only just created, waits for its claim. `withContent` also reads content that is in the record.
 *
 * @throws {FdError} `store_corrupt`, `read_error`, `permission_error`.
 */
export function readLog(store: Store, id: number, withContent = false): RecordLog | undefined {
  const path = recordPath(store.path, id);
  const log = readRecord(path, id, withContent);
  return log === UNSAID ? onceClaimed(path, id, withContent) : log;
}

/** Reads the log of a record whose writer is gone: a claim that is missing is not waited for. See {@link readLog}. */
export function readDeadLog(store: Store, id: number): RecordLog | undefined {
  const log = readRecord(recordPath(store.path, id), id, false);
  return log === UNSAID ? emptyLog() : log;
}

/** In place of the log of a record whose claim a reader waits for. */
const UNSAID = Symbol("unsaid");

/** Returns the log at `path`; {@link UNSAID} if the record is there and its claim is not. */
function readRecord(path: string, id: number, withContent: boolean): RecordLog | typeof UNSAID | undefined {
  const of = `fd:${id}`;
  return withLogFile(path, (file) => {
    const buffer = new Uint8Array(FIRST_LOG_BYTES);
    const first = buffer.subarray(0, disk.read(file, buffer, 0, FIRST_LOG_BYTES, null));
    if (first.length === 0) return UNSAID;
    if (!isObjectForm(first)) return decodeLog(readLogFile(file, path, of, buffer, first.length));
    const object = readObject(file, first, { path, id, withContent });
    if (object === undefined) return UNSAID;
    const log = decodeObjectLog(object);
    return log.claim === undefined && object.isInterrupted ? UNSAID : log;
  });
}

/** Maximum age of an empty record whose writer may still be about to write its first line. */
const UNSAID_MS = 2000;
/** How long to wait for the claim. It takes microseconds unless the writer is waiting for a processor. */
const CLAIM_WAIT_MS = 500;

/**
 * Waits for the claim in the record at `path` and returns the log; an empty one if no claim appears. A record is
 * created before its claim is written (FORMAT.md), and a reader in between must not treat the writer as dead.
 */
function onceClaimed(path: string, id: number, withContent: boolean): RecordLog {
  const stat = disk.lstat(path, { throwIfNoEntry: false });
  // A record dated ahead was created before the clock was set back. Anything but a regular file is foreign.
  if (stat?.isFile() !== true || Math.abs(Date.now() - stat.mtimeMs) > UNSAID_MS) return emptyLog();
  const untilMs = performance.now() + CLAIM_WAIT_MS;
  while (performance.now() < untilMs) {
    const log = readRecord(path, id, withContent);
    if (log !== undefined && log !== UNSAID) return log;
    pause(1);
  }
  return emptyLog();
}

/** Appends one line to the existing log of `id`, and syncs it if `durable`. */
export function appendLine(store: Store, id: number, line: RecordLine, durable: boolean): void {
  appendCheckedLine(recordPath(store.path, id), line, durable);
}
