/**
 * The store of virtual file descriptors, usable as a library: open a store, put bytes, slice them, take them out.
 *
 * @module
 */

export { bindName, type BoundName, listNames, readName } from "./bind_name.ts";
export { type BoundSlice, boundSlice } from "./bound_slice.ts";
export { type CheckReport, checkStore, type Finding } from "./check_store.ts";
export { BACKUP_SOURCE, collectGarbage, type GcReport } from "./collect_garbage.ts";
export { deriveFd } from "./derive_fd.ts";
export { closeReader } from "./close_reader.ts";
export { digestFd, sha256Of } from "./digest_fd.ts";
export { disk } from "./disk.ts";
export { fail, failureOfSystem, FdError, type FdFailure, type SliceMode, systemCode } from "./errors.ts";
export { checkName, formatFd, isName, parseFdArgument } from "./fd_id.ts";
export type { FdEntry, FdState } from "./fd_entry.ts";
export { findFd } from "./find_fd.ts";
export { patternSpans, type Span } from "./pattern_spans.ts";
export { type HeldLocks, holdLocks } from "./hold_locks.ts";
export { countLineFeeds, countLines } from "./line_feeds.ts";
export { listFds } from "./list_fds.ts";
export { listRemoved, type RemovedFd } from "./list_removed.ts";
export { charsInSlice, locateIn, locateSlice, type Slice, type SliceRequest } from "./locate_slice.ts";
export {
  DEFAULT_LIMITS,
  type Environment,
  limitsFrom,
  locateStore,
  openStore,
  parseByteCount,
  type Store,
  type StoreLimits,
} from "./open_store.ts";
export { appendToLog, highestLogId, type LogFamily, readLogLines, startLog } from "./numbered_log.ts";
export { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MIN_PAGE_SIZE } from "./page_rule.ts";
export { beginPut, type FdParent, type Put, putBytes, type PutOptions } from "./put_bytes.ts";
export { putFile } from "./put_file.ts";
export { type OpenContent, openContent } from "./open_content.ts";
export { type ByteSource, readIn, readSlice, readWhole } from "./read_slice.ts";
export type { LineHit, Matches, MatchRequest } from "./match_lines.ts";
export { type Removal, removeFd } from "./remove_fd.ts";
export { searchFd } from "./search_fd.ts";
export {
  isTemporaryName,
  placeStaged,
  removeFile,
  removeStaged,
  type Staged,
  stageFile,
  type StageRequest,
  temporaryPathFor,
} from "./replace_file.ts";
export type { PutEnd } from "./seal_line.ts";
export { sweepSometimes } from "./sweep_sometimes.ts";
export { countChars } from "./utf8_chars.ts";
export { temporaryPath } from "./store_paths.ts";
export { listOpenTransactions, markTransaction, unmarkTransaction } from "./transaction_marks.ts";
export { thisWriter, writerFate, type WriterIdentity } from "./writer_identity.ts";
