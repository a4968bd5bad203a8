/**
 * From an argument (`fd:12`, `12`, `ref:NAME`) to all that its record says.
 *
 * @module
 */

import { constants } from "node:fs";
import { appendLine } from "./append_record.ts";
import { readName } from "../store/bind_name.ts";
import { highestId } from "../store/claim_id.ts";
import { closeReader } from "../disk/close_reader.ts";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem, FdError, systemCode } from "../disk/errors.ts";
import { describeFd, type FdEntry } from "./fd_entry.ts";
import { formatFd, parseFdArgument } from "../store/fd_id.ts";
import { startIndex } from "../index/index_file.ts";
import { type Store } from "../store/open_store.ts";
import { DEFAULT_PAGE_SIZE } from "../bytes/page_rule.ts";
import { readLog, type RecordLog } from "./record_log.ts";
import type { SealLine } from "./record_line.ts";
import { scanFile } from "../index/scan_file.ts";
import { type LiveScan, scanLive } from "../index/scan_live.ts";
import type { ScanTotals } from "../index/scan_text.ts";
import { sealLine } from "./seal_line.ts";
import { moveIfThere } from "../disk/move_if_there.ts";
import { contentPath, indexPath, recordPath, temporaryPath } from "../store/store_paths.ts";
import { writerFate, type WriterIdentity } from "../store/writer_identity.ts";
import { NO_FOLLOW } from "../disk/private_files.ts";

/**
 * The fd that `argument` names.
 *
 * @throws {FdError} `not_found`; `removed`, with what its tombstone says; `store_corrupt`.
 */
export function findFd(store: Store, argument: string): FdEntry {
  const parsed = parseFdArgument(argument);
  const id = parsed?.by === "id"
    ? parsed.id
    : parsed?.by === "name"
    ? readName(store, parsed.name)?.id
    : undefined;
  const log = id === undefined ? undefined : readLog(store, id);
  if (id === undefined || log === undefined) {
    const fd = parsed?.by === "id" ? formatFd(parsed.id) : argument;
    return fail({ kind: "not_found", fd, highestId: highestId(store) });
  }
  if (log.tomb !== undefined) failRemoved(id, log, log.tomb);
  return entryOf(store, id, log);
}

/** @throws {FdError} `removed`, where the fd is gone by now. */
export function refuseRemoved(store: Store, id: number): void {
  const log = readLog(store, id);
  if (log?.tomb !== undefined) failRemoved(id, log, log.tomb);
}

function failRemoved(id: number, log: RecordLog, tomb: NonNullable<RecordLog["tomb"]>): never {
  fail({
    kind: "removed",
    fd: formatFd(id),
    removedAtMs: tomb.at,
    why: tomb.why,
    source: log.claim?.source ?? "unknown",
    command: log.claim?.command,
    isImported: log.claim?.imported_at !== undefined,
    cwd: log.claim?.cwd,
    parent: log.claim?.parent,
    byteCount: tomb.bytes,
    sha256: tomb.sha256,
  });
}

/** What the log of fd `id`, which is not removed, says. Where its writer died, the fd is ended here, as incomplete. */
export function entryOf(store: Store, id: number, log: RecordLog): FdEntry {
  if (log.seal !== undefined) return describeFd(store, id, log, log.seal);
  const pageSize = log.claim?.page_size ?? DEFAULT_PAGE_SIZE;
  if (log.claim !== undefined && isAlive(store, id, log.claim.writer)) {
    const { totals, arrived } = lookAtLive(store, id, pageSize);
    const seal = sealLine({ ...totals, sum: 0 }, {}, undefined);
    return { ...describeFd(store, id, log, seal), state: "live", sum: undefined, arrived };
  }
  // Between the look at the record and the look at the writer, it may have ended as it should.
  const last = readLog(store, id) ?? log;
  if (last.seal !== undefined) return describeFd(store, id, last, last.seal);
  const seal = settle(store, id, pageSize, log.claim !== undefined);
  return seal === undefined
    ? entryOf(store, id, readLog(store, id) ?? log)
    : describeFd(store, id, log, seal);
}

/** Whether fd `id` has not ended, and its writer still runs, as far as that can be known. */
export function isBeingWritten(store: Store, id: number): boolean {
  const log = readLog(store, id);
  return log?.claim !== undefined && log.seal === undefined && log.tomb === undefined &&
    isAlive(store, id, log.claim.writer);
}

/** A writer that cannot be looked up (another machine, another pid namespace) is given this long without a byte. */
const UNKNOWN_WRITER_MS = 24 * 60 * 60 * 1000;

/** Whether the writer of an fd that has no seal still writes it. */
export function isAlive(store: Store, id: number, writer: WriterIdentity): boolean {
  const fate = writerFate(writer);
  if (fate !== "unknown") return fate === "alive";
  const newest = [contentPath(store.path, id), recordPath(store.path, id)]
    .map((path) => disk.stat(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  // A date that far ahead is from before the clock was set back, and no sign of life.
  return Math.abs(Date.now() - Math.max(...newest)) < UNKNOWN_WRITER_MS;
}

/**
 * Ends an fd whose writer died: what arrived is scanned, indexed and sealed as incomplete. Two processes that do this at
 * once write the same. A store that cannot be written to is read all the same, and so is an fd whose record does not say what
 * it was: nothing is `recorded` of it, so that what is wrong stays to be seen. Undefined where such a record was claimed
 * while its content was scanned: its writer was only slow, and the index is the writer's to make.
 */
export function settle(store: Store, id: number, pageSize: number, recorded: boolean): SealLine | undefined {
  // Never in place: the file that is there may be another store's too (`fork_store.ts`).
  const fresh = temporaryPath(store.path, "index");
  const index = startIndex(fresh);
  let totals;
  try {
    totals = scanContent(store, id, pageSize, index.add);
  } catch (thrown) {
    index.abandon();
    throw thrown;
  }
  // A writer claims before it writes its first byte: where there was content to index, its claim is there by now.
  if (!recorded && readLog(store, id)?.claim !== undefined) {
    index.abandon();
    return undefined;
  }
  index.end(false);
  moveIfThere(fresh, indexPath(store.path, id));
  const line = sealLine(totals, { incomplete: true }, undefined);
  if (!recorded) return line;
  try {
    appendLine(store, id, line, false);
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
  }
  return line;
}

/** Scans the whole content of `id`; no content counts as empty. */
function scanContent(
  store: Store,
  id: number,
  pageSize: number,
  onEntry: Parameters<typeof scanFile>[1]["onEntry"],
): ScanTotals {
  return withContent(
    store,
    id,
    (file) => scanFile(file ?? -1, { pageSize, onEntry, toByte: file === undefined ? 0 : Infinity }),
  );
}

/** What a live fd is before its content file is there. */
function nothingYet(): LiveScan {
  return {
    totals: { byteCount: 0, charCount: 0, lineFeedCount: 0, lineCount: 0, pageCount: 1 },
    arrived: { inode: 0, fileBytes: 0, firstBlock: 0, entries: [] },
  };
}

/** What has arrived of `id` by now. Its writer makes the content file a moment after the record. */
function lookAtLive(store: Store, id: number, pageSize: number): LiveScan {
  return withContent(
    store,
    id,
    (file) => file === undefined ? nothingYet() : scanLive(file, indexPath(store.path, id), pageSize),
  );
}

/** Calls `use` with the content file of `id`, or with undefined where there is none. */
function withContent<Result>(store: Store, id: number, use: (file: number | undefined) => Result): Result {
  const path = contentPath(store.path, id);
  let file: number | undefined;
  try {
    file = disk.open(path, constants.O_RDONLY | NO_FOLLOW);
  } catch (thrown) {
    if (systemCode(thrown) !== "ENOENT") fail(failureOfSystem(thrown, "read", "open the content", path));
  }
  try {
    return use(file);
  } catch (thrown) {
    if (thrown instanceof FdError) throw thrown;
    return fail(failureOfSystem(thrown, "read", "read the content", path));
  } finally {
    if (file !== undefined) closeReader(file);
  }
}
