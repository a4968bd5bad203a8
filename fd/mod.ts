/**
 * The store of virtual file descriptors, as the program's own commands use it. Its callers are compiled with it, so it
 * trusts their arguments. `library/mod.ts` is the store for other programs; FORMAT.md describes the files on disk.
 *
 * Every expected failure is thrown as {@link FdError}, whose `failure` is one of a closed union of kinds with fields
 * ({@link FdFailure}); any other error is a bug.
 *
 * @module
 */

export { type Awaited, awaitFd, findFd, namedId, prepareFd } from "./records/find_fd.ts";
export {
  type BackgroundWriter,
  backgroundWriter,
  lastStop,
  recordCommand,
  recordStop,
  type StopRequest,
} from "./records/record_log.ts";
export { cleanBytes, cleanChunks, type Cleaning, startCleaning } from "./clean/clean_text.ts";
export { type LiveView, startLiveView } from "./clean/live_view.ts";
export { needsCleaning } from "./clean/needs_cleaning.ts";
export type { CleanSlice } from "./slices/clean_slice.ts";
export { cleanViewOf } from "./slices/clean_view_of.ts";
export { needsCleaningIn, sliceNeedsCleaning } from "./slices/needs_cleaning_in.ts";
export { bindName, type BoundName, listNames, readName } from "./store/bind_name.ts";
export { BLOCK_BYTES, blockSumText } from "./bytes/block_sum.ts";
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
export type { CheckReport, Finding } from "./upkeep/check_report.ts";
export { checkCache } from "./cache/check_cache.ts";
export { checkRemote } from "./cache/check_remote.ts";
export { checkStore } from "./upkeep/check_store.ts";
export {
  BACKUP_SOURCE,
  INQUIRY_SOURCE,
  LAST_MOMENT_MS,
  PLAN_SOURCE,
  type PutEnd,
} from "./records/record_line.ts";
export { collectGarbage, type GcReport } from "./upkeep/collect_garbage.ts";
export { highestId } from "./store/claim_id.ts";
export { hugeDecimal, parseDecimal } from "./bytes/decimal.ts";
export { derivedSource, deriveFd, isChanged } from "./slices/derive_fd.ts";
export { checkPath } from "./disk/check_argument.ts";
export { closeReader, readSome, syncDirectory } from "./disk/file_calls.ts";
export { digestFd, sha256Of } from "./slices/digest_fd.ts";
export { disk } from "./disk/disk.ts";
export { fail, failureOfSystem, FdError, systemCode } from "./disk/errors.ts";
export { type FdFailure, SLICE_MODES, type SliceMode, type StorePromise } from "./failures.ts";
export { checkName, type FdArgument, formatFd, isName, parseFdArgument } from "./store/fd_id.ts";
export type {
  ListedObject,
  Listing,
  ObjectFacts,
  ObjectPart,
  ObjectRange,
  ObjectStore,
  OwnWrite,
  Written,
} from "./remote/object_store.ts";
export { planCleaning } from "./shared/clean_shared.ts";
export { tryAccess } from "./shared/try_access.ts";
export { readSharedStore } from "./shared/store_object.ts";
export { openObjectStore } from "./remote/open_object_store.ts";
export { type ProbedPromise, type ProbeReport, probeStore } from "./remote/probe_store.ts";
export type { StoreOptions } from "./remote/send_request.ts";
export { isStoreUrl, parseStoreUrl, type StoreAddress } from "./remote/store_url.ts";
export type { FdEntry, FdState } from "./records/fd_entry.ts";
export { exportFds } from "./archive/export_fds.ts";
export { giveUpPut, putBytes, putFile, putRest } from "./put/put_bytes.ts";
export { addForkOwner, dropDeadForks, dropForkHome, makeForkHome } from "./forks/fork_home.ts";
export { type ForkOptions, type ForkReport, forkStore } from "./forks/fork_store.ts";
export { patternSpans, type SpanFinder, spanFinder } from "./search/pattern_spans.ts";
export { type LineSpanFinder, lineSpanFinder } from "./search/line_spans.ts";
export { type HitSpan, spansOfHit } from "./search/hit_spans.ts";
export type { Span } from "./search/walk_spans.ts";
export {
  type ByteSearch,
  byteSearch,
  indexOfSought,
  placesOfSought,
  prepareSought,
  type Sought,
} from "./bytes/sequence_search.ts";
export { diskUse } from "./packing/disk_bytes.ts";
export type { PackReport } from "./packing/pack_store.ts";
export { plainFile } from "./packing/plain_file.ts";
export { loadShared, type SharedCache } from "./cache/load_shared.ts";
export type { SharedPart, SharedRecords, SharedSide } from "./store/missing_part.ts";
export { loadPreparing, prepareContent } from "./slices/prepare_content.ts";
export { pause } from "./disk/pause.ts";
export { type HeldLocks, holdLocks } from "./store/hold_locks.ts";
export { countLineFeeds, countLines } from "./bytes/line_feeds.ts";
export { type Imported, importFds, type ReadArchive } from "./archive/import_fds.ts";
export { listFds, listNewestFds } from "./records/list_fds.ts";
export { listRemoved, type Removal, type RemovedFd, removeFd } from "./upkeep/remove_fd.ts";
export { otherVersions } from "./upkeep/check_files.ts";
export {
  DEFAULT_LIMITS,
  type Environment,
  limitsFrom,
  locateStore,
  openStore,
  parseByteCount,
  parseDuration,
  type Store,
  type StoreLimits,
} from "./store/open_store.ts";
export {
  appendToLog,
  highestLogId,
  isMarked,
  lastLogId,
  leaveUnstarted,
  listOpenTransactions,
  logCondition,
  type LogFamily,
  logPath,
  markedMs,
  markTransaction,
  readLogLines,
  startLog,
  unmarkTransaction,
} from "./store/numbered_log.ts";
export type { LogJudge } from "./upkeep/check_logs.ts";
export { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MIN_PAGE_SIZE } from "./bytes/page_rule.ts";
export { beginPut, copyThrough, deferPut, headBytesOf, Put } from "./put/put.ts";
export type { FdParent, PutOptions } from "./put/put_options.ts";
export type { OnProgress } from "./disk/on_progress.ts";
export { openRegular, otherKind } from "./disk/open_regular.ts";
export { charsBeforeByte, lineOfByte } from "./slices/locate_text.ts";
export { contentInMemory, type OpenContent, openContent } from "./slices/open_content.ts";
export { cursorAt } from "./slices/read_cursor.ts";
export { type ByteSource, readIn, readLast, readSlice, readWhole } from "./slices/read_slice.ts";
export type { LineHit, Matches, MatchRequest } from "./search/match_lines.ts";
export type { PatternOptions } from "./search/line_finder.ts";
export type { BlockEntry } from "./index/block_entries.ts";
export type { BlockIndex } from "./index/index_file.ts";
export { type FoundIn, searchFd, searchFds } from "./search/search_fd.ts";
export {
  placeStaged,
  removeFile,
  removeStaged,
  type Staged,
  type StagedContent,
  stageFile,
  type StageRequest,
  temporaryPathFor,
} from "./disk/replace_file.ts";
export { type Spool, startSpool } from "./put/spool_bytes.ts";
export { isSweepDue, sweepSometimes } from "./upkeep/sweep_sometimes.ts";
export { startKernel } from "./bytes/start_kernel.ts";
export { joinBytes, textKind, utf8Bytes, utf8Text } from "./bytes/utf8_bytes.ts";
export { nodeBuffer } from "./disk/loaded_late.ts";
export { countChars } from "./bytes/utf8_chars.ts";
export { dataPath, temporaryPath, VERSION_DIRECTORY } from "./store/store_paths.ts";
export { thisWriter, writerFate, type WriterIdentity } from "./store/writer_identity.ts";
