/** Looks up an fd by its argument (`fd:12`, `12`, `ref:NAME`, `NAME`). */

import { DEFAULT_PAGE_SIZE } from "../bytes/page_rule.ts";
import { disk } from "../disk/disk.ts";
import { atEnd, attempt, fail, failCorrupt, ifPossible, orUndo } from "../disk/errors.ts";
import { moveIfPossible } from "../disk/file_calls.ts";
import { totalsOfBlock } from "../index/block_totals.ts";
import { startIndex } from "../index/index_file.ts";
import { scanFile } from "../index/scan_file.ts";
import { scanLive } from "../index/scan_live.ts";
import { closeStored, DamagedPack, openStored, type StoredContent } from "../packs/stored_content.ts";
import { appendLine, readLog, type RecordLog } from "./record_log.ts";
import { describeFd, type FdEntry, sealLine } from "./fd_entry.ts";
import { contentOfObject, type ObjectRecord } from "./object_record.ts";
import type { SealLine } from "./record_line.ts";
import { readName } from "../store/bind_name.ts";
import { highestId } from "../store/claim_id.ts";
import { formatFd, isName, parseFdArgument } from "../store/fd_id.ts";
import type { Store } from "../store/open_store.ts";
import { contentPath, indexPath, recordPath, temporaryPath } from "../store/store_paths.ts";
import { writerFate, type WriterIdentity } from "../store/writer_identity.ts";

/**
 * Returns the fd named by `argument`.
 *
 * @throws {FdError} `not_found`; `removed`, with fields from its tombstone; `store_corrupt`.
 */
export function findFd(store: Store, argument: string): FdEntry {
  const id = namedId(store, argument);
  if (id !== undefined) store.backend.check({ kind: "record", id });
  const log = id === undefined ? undefined : readLog(store, id, true);
  if (id === undefined || log === undefined) {
    const fd = parseFdArgument(argument)?.by === "id" ? formatFd(id!) : argument;
    return fail({ kind: "not_found", fd, highestId: highestId(store) });
  }
  if (log.tomb !== undefined) failRemoved(id, log, log.tomb);
  return entryOf(store, id, log);
}

/** Returns the id that `argument` names, whether or not there is such an fd; undefined for a name that is not bound. */
export function namedId(store: Store, argument: string): number | undefined {
  const parsed = parseFdArgument(argument);
  if (parsed?.by === "id") return parsed.id;
  // A word that can be nothing else is a name without its `ref:`.
  const name = parsed?.name ?? (isName(argument) ? argument : undefined);
  return name === undefined ? undefined : readName(store, name)?.id;
}

/** @throws {FdError} `removed` if the fd has been removed. */
export function refuseRemoved(store: Store, id: number): void {
  const log = readLog(store, id);
  if (log?.tomb !== undefined) failRemoved(id, log, log.tomb);
}

/** Fails with `removed` and the fields of `tomb`. */
export function failRemoved(id: number, log: RecordLog, tomb: NonNullable<RecordLog["tomb"]>): never {
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

/**
 * Builds the entry of fd `id`, which is not removed, from its log. If its writer died, seals the fd as incomplete.
 */
export function entryOf(store: Store, id: number, log: RecordLog): FdEntry {
  if (log.seal !== undefined) return describeFd(store, id, log, log.seal);
  const pageSize = log.claim?.page_size ?? DEFAULT_PAGE_SIZE;
  if (log.object?.isInterrupted === false) return endedEntry(store, id, log, log.object);
  const elsewhere = store.backend.writerElsewhere(id);
  if (elsewhere !== undefined || log.claim !== undefined && isAlive(store, id, log.claim.writer)) {
    // Its writer creates the content file shortly after the record. Content is packed only once it has ended.
    const { totals, arrived } = withContent(
      store,
      id,
      (file) => typeof file !== "number" ? nothingYet() : scanLive(file, indexPath(store.path, id), pageSize),
    );
    const seal = sealLine({ ...totals, sum: 0 }, {}, undefined);
    const state = elsewhere?.isDead === true ? "incomplete" : "live";
    return { ...describeFd(store, id, log, seal), state, sum: undefined, arrived, elsewhere };
  }
  // It may have been sealed after the record was read and before the writer was checked.
  const last = readLog(store, id) ?? log;
  if (last.seal !== undefined) return describeFd(store, id, last, last.seal);
  if (last.object !== undefined) return endedEntry(store, id, last, last.object);
  const seal = settle(store, id, pageSize, log.claim !== undefined);
  return seal === undefined
    ? entryOf(store, id, readLog(store, id) ?? log)
    : describeFd(store, id, log, seal);
}

/** Describes an object without a valid seal: its writer died, or it is damaged. Its file says so, and nothing is written. */
function endedEntry(store: Store, id: number, log: RecordLog, object: ObjectRecord): FdEntry {
  const content = contentOfObject(store, id, object);
  const totals = totalsOfBlock(content, log.claim?.page_size ?? DEFAULT_PAGE_SIZE);
  const seal = sealLine(totals, { incomplete: true }, undefined);
  // What is there of an interrupted write is right; of content whose seal is damaged that cannot be known.
  if (!object.isInterrupted) seal.sum = NO_SUM;
  return describeFd(store, id, log, seal);
}

/** No content has this sum. */
const NO_SUM = -1;

/** Whether fd `id` has not ended and its writer is still running, as far as that can be known. */
export function isBeingWritten(store: Store, id: number): boolean {
  store.backend.check({ kind: "record", id });
  const log = readLog(store, id);
  if (log?.claim === undefined || log.seal !== undefined || log.tomb !== undefined) return false;
  if (log.object?.isInterrupted === false) return false;
  const elsewhere = store.backend.writerElsewhere(id);
  return elsewhere === undefined ? isAlive(store, id, log.claim.writer) : !elsewhere.isDead;
}

/**
 * How long a writer that cannot be checked (another machine, another pid namespace) may go without writing a byte.
 */
const UNKNOWN_WRITER_MS = 24 * 60 * 60 * 1000;

/** Whether the writer of an unsealed fd is still running. */
export function isAlive(store: Store, id: number, writer: WriterIdentity): boolean {
  const fate = writerFate(writer);
  if (fate !== "unknown") return fate === "alive";
  const newest = [contentPath(store.path, id), recordPath(store.path, id)]
    .map((path) => disk.stat(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  // A date far ahead is from before the clock was set back, not a sign of life.
  return Math.abs(Date.now() - Math.max(...newest)) < UNKNOWN_WRITER_MS;
}

/**
 * Seals an fd whose writer died: scans and indexes its content and appends an incomplete seal. Two processes doing
 * this at once write the same. Works on a read-only store too. If the claim is missing (`recorded` is false), writes
 * no seal, so that the damage stays visible. Returns undefined if the claim was written during the scan: the writer
 * was only slow, and creates the index itself.
 */
export function settle(store: Store, id: number, pageSize: number, recorded: boolean): SealLine | undefined {
  // Not in place: the existing file may be shared with another store (`fork_store.ts`).
  const fresh = temporaryPath(store.path, "index");
  const index = startIndex(fresh);
  // Missing content counts as empty.
  const scan = (file?: StoredContent) =>
    scanFile(file ?? -1, { pageSize, onEntry: index.add, toByte: file === undefined ? 0 : Infinity });
  const totals = orUndo(() => withContent(store, id, scan), index.abandon);
  // A writer writes its claim before its first byte, so if there was content, a slow writer has written its claim by now.
  if (!recorded && readLog(store, id)?.claim !== undefined) {
    index.abandon();
    return undefined;
  }
  index.end(false);
  moveIfPossible(fresh, indexPath(store.path, id));
  const line = sealLine(totals, { incomplete: true }, undefined);
  if (recorded) ifPossible(() => appendLine(store, id, line, false));
  return line;
}

/** A live fd whose content file does not exist yet. */
function nothingYet() {
  return {
    totals: { byteCount: 0, charCount: 0, lineFeedCount: 0, lineCount: 0, pageCount: 1 },
    arrived: { inode: 0, fileBytes: 0, firstBlock: 0, entries: [] },
  };
}

/** Calls `use` with the content of `id`, or with undefined if it does not exist. */
function withContent<Result>(
  store: Store,
  id: number,
  use: (file: StoredContent | undefined) => Result,
): Result {
  const path = contentPath(store.path, id);
  try {
    const file = attempt(
      "read",
      "open the content",
      path,
      () => ifPossible(() => openStored(path), "ENOENT"),
    );
    using _file = atEnd(() => file !== undefined && closeStored(file));
    return attempt("read", "read the content", path, () => use(file));
  } catch (thrown) {
    if (thrown instanceof DamagedPack) failCorrupt(path, thrown.message, formatFd(id));
    throw thrown;
  }
}
