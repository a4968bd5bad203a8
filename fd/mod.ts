/**
 * The store of virtual file descriptors, as the program's own commands use it. Its callers are compiled with it, so it
 * trusts their arguments. `system.ts` has failures, files and bytes; `library/mod.ts` is the store for other programs;
 * FORMAT.md describes the files on disk.
 *
 * Every expected failure is thrown as `FdError`, whose `failure` is one of a closed union of kinds with fields
 * (`FdFailure`); any other error is a bug.
 *
 * @module
 */

export { exportFds } from "./archive/export_fds.ts";
export { type Imported, importFds } from "./archive/import_fds.ts";
export { checkCache } from "./shared/cache/check_cache.ts";
export { checkRemote } from "./shared/cache/check_remote.ts";
export { type CacheFacts, fdsToFork, openCache, type SharedCache } from "./shared/cache/load_shared.ts";
export { takeBackImports } from "./upkeep/unfinished_imports.ts";
export { addForkOwner, dropDeadForks, dropForkHome, makeForkHome } from "./forks/fork_home.ts";
export { type ForkReport, forkStore } from "./forks/fork_store.ts";
export { diskUse, tallyOf } from "./packing/disk_bytes.ts";
export type { PackReport } from "./packing/pack_store.ts";
export { plainFile } from "./packing/plain_file.ts";
export { beginPut, copyThrough, deferPut, headBytesOf, Put } from "./put/put.ts";
export { giveUpPut, putBytes, putOpen, putPieces, putRest } from "./put/put_bytes.ts";
export { shareSealed } from "./put/share_sealed.ts";
export type { PutOptions } from "./put/put_options.ts";
export { type Spool, startSpool } from "./put/spool_bytes.ts";
export { derivedSource, type FdEntry, isChanged, type PutEnd, type Removal } from "./records/fd_entry.ts";
export { findFd, namedId } from "./records/find_fd.ts";
export { awaitFd } from "./records/live_fd.ts";
export { listFds, listLiveFds, listNewestFds, newestFirst } from "./records/list_fds.ts";
export {
  type Awaited,
  type BackgroundWriter,
  backgroundWriter,
  lastStop,
  recordCommand,
  recordStop,
  type StopRequest,
} from "./records/live_fd.ts";
export {
  BACKUP_SOURCE,
  INQUIRY_SOURCE,
  LAST_MOMENT_MS,
  momentNow,
  PLAN_SOURCE,
} from "./records/record_line.ts";
export type { ObjectStore } from "./shared/remote/object_store.ts";
export { openObjectStore } from "./shared/remote/open_object_store.ts";
export { openSharedObjects } from "./shared/objects/encrypted_store.ts";
export { type ProbeReport, probeStore } from "./shared/remote/probe_store.ts";
export type { StoreOptions } from "./shared/remote/send_request.ts";
export { isStoreUrl, parseStoreUrl } from "./shared/remote/store_url.ts";
export { type HitSpan, spansOfHit } from "./search/hit_spans.ts";
export { lineFinder } from "./search/line_finder.ts";
export { lineSpanFinder } from "./search/line_spans.ts";
export type { EqualMatches, LineHit, Matches } from "./search/match_lines.ts";
export { type SpanFinder, spanFinder } from "./search/pattern_spans.ts";
export { type FoundIn, searchFd, searchFds } from "./search/search_fd.ts";
export type { Span } from "./search/walk_spans.ts";
export { planCleaning } from "./shared/objects/clean_shared.ts";
export { totalsOfBucket } from "./shared/objects/list_shared.ts";
export { changeLimits, readSharedStore, type Right, tryAccess } from "./shared/objects/store_object.ts";
export { cleanViewOf } from "./slices/clean_view_of.ts";
export { deriveFd } from "./slices/derive_fd.ts";
export { digestFd, sha256Of } from "./slices/digest_fd.ts";
export {
  boundIn,
  type BoundSlice,
  boundSlice,
  charsInSlice,
  locateIn,
  locateSlice,
  type Slice,
  type SliceRequest,
  wholeSlice,
} from "./slices/locate_slice.ts";
export { charsBeforeByte, hasLineFeed, lineOfByte } from "./slices/locate_text.ts";
export { needsCleaningIn, sliceNeedsCleaning } from "./slices/needs_cleaning_in.ts";
export { contentInMemory, type OpenContent, openContent, usedContent } from "./slices/open_content.ts";
export { textEntry, textEntryIn, utf16Of } from "./slices/text_entry.ts";
export { whenReady } from "./slices/when_ready.ts";
export { prepareBytes, prepareContent, prepareFd } from "./slices/prepare_content.ts";
export { cursorAt } from "./slices/locate_slice.ts";
export {
  type ByteRange,
  type ByteSource,
  bytesSource,
  firstBytes,
  gatherBytes,
  readIn,
  readLast,
  readSlice,
  readWhole,
} from "./slices/read_slice.ts";
export { bindForAll, bindName, type BoundName, listNames, readName } from "./store/bind_name.ts";
export { highestId } from "./store/claim_id.ts";
export { checkName, formatFd, isName, isOffline, parseFdArgument } from "./store/fd_id.ts";
export { appendCheckedLine } from "./store/checked_log.ts";
export { holdLocks } from "./store/hold_locks.ts";
export { lastRun, noteRun, runName } from "./store/last_run.ts";
export {
  highestLogId,
  lastLogId,
  leaveUnstarted,
  logCondition,
  type LogFamily,
  logPath,
  readLogLines,
  startLog,
} from "./store/numbered_log.ts";
export {
  DEFAULT_LIMITS,
  type Environment,
  limit,
  limitsFrom,
  locateStore,
  openStore,
  parseByteCount,
  parseDuration,
  type Store,
  type StoreLimits,
} from "./store/open_store.ts";
export { listShown, noteShown, SHOWN_DAYS } from "./store/shown_chars.ts";
export { dataPath, temporaryPath } from "./store/store_paths.ts";
export {
  isMarked,
  listOpenTransactions,
  markedMs,
  markTransaction,
  unmarkTransaction,
} from "./store/transaction_marks.ts";
export { thisWriter, writerFate, type WriterIdentity } from "./store/writer_identity.ts";
export { otherVersions } from "./upkeep/check_files.ts";
export type { LogJudge } from "./upkeep/check_logs.ts";
export type { CheckReport, Finding } from "./upkeep/check_report.ts";
export { checkStore } from "./upkeep/check_store.ts";
export { collectGarbage, type GcReport } from "./upkeep/collect_garbage.ts";
export { listRemoved, type RemovedFd, removeFd } from "./upkeep/remove_fd.ts";
export { isSweepDue, sweepSometimes } from "./upkeep/sweep_sometimes.ts";
