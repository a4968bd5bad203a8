/**
 * The store of virtual file descriptors, usable as a library on Deno, Bun and Node: open a store, put bytes into it, read
 * slices by page, line or char, search, export. The program's own commands use nothing else. docs/library.md has more
 * examples; FORMAT.md says what is on the disk.
 *
 * ```ts
 * import { mkdtempSync, readFileSync, rmSync } from "node:fs";
 * import { exportSlice, findFd, formatFd, openStore, putStream, searchFd, sliceText } from "./mod.ts";
 *
 * const dir = mkdtempSync("/tmp/fd-example-");
 * const store = openStore(dir);
 *
 * // Anything that streams bytes goes in; the handle is for whoever asks later, in any process.
 * const log = "ok\n".repeat(500) + "error: disk on fire\n" + "ok\n".repeat(500);
 * const put = await putStream(store, new Blob([log]).stream(), { source: "example" });
 * const handle = formatFd(put.id);
 * if (handle !== "fd:1" || put.lineCount !== 1001) throw new Error();
 *
 * // Find it again, and read around the first hit.
 * const entry = findFd(store, handle);
 * const { total, hits } = await searchFd(store, entry, { pattern: "error: .*", keep: 1 });
 * const line = hits[0]!.lineNumber;
 * if (total !== 1 || line !== 501) throw new Error();
 * const around = sliceText(store, entry, { mode: "line", start: line - 1, count: 3 });
 * if (around !== "ok\nerror: disk on fire\nok\n") throw new Error();
 *
 * // And out, to a file that is not there yet.
 * exportSlice(store, entry, { mode: "line", start: line }, `${dir}/error.txt`);
 * if (readFileSync(`${dir}/error.txt`, "utf8") !== "error: disk on fire\n") throw new Error();
 * rmSync(dir, { recursive: true });
 * ```
 *
 * Everything that goes wrong on purpose is thrown as {@link FdError}, whose `failure` is one of a closed union of kinds
 * with fields ({@link FdFailure}); anything else that is thrown is a bug. Calls are synchronous where the disk is: they
 * take microseconds, and a store may be used by any number of processes at once.
 *
 * @module
 */

export { type Awaited, awaitFd } from "./await_fd.ts";
export {
  type BackgroundWriter,
  backgroundWriter,
  lastStop,
  recordCommand,
  recordStop,
  type StopWish,
} from "./background_command.ts";
export { bindName, type BoundName, listNames, readName } from "./bind_name.ts";
export { type BoundSlice, boundSlice } from "./bound_slice.ts";
export type { CheckReport, Finding } from "./check_report.ts";
export { checkStore } from "./check_store.ts";
export { BACKUP_SOURCE, collectGarbage, type GcReport } from "./collect_garbage.ts";
export { highestId } from "./claim_id.ts";
export { hugeDecimal, parseDecimal } from "./decimal.ts";
export { deriveFd } from "./derive_fd.ts";
export { closeReader } from "./close_reader.ts";
export { digestFd, sha256Of } from "./digest_fd.ts";
export { disk } from "./disk.ts";
export { fail, failureOfSystem, FdError, type FdFailure, type SliceMode, systemCode } from "./errors.ts";
export { checkName, type FdArgument, formatFd, isName, parseFdArgument } from "./fd_id.ts";
export type { FdEntry, FdState } from "./fd_entry.ts";
export { exportSlice } from "./export_slice.ts";
export { exportFds } from "./export_fds.ts";
export { findFd } from "./find_fd.ts";
export { giveUpPut } from "./give_up_put.ts";
export { addForkOwner, dropDeadForks, dropForkHome, makeForkHome } from "./fork_home.ts";
export { type ForkOptions, type ForkReport, forkStore } from "./fork_store.ts";
export { patternSpans, type Span } from "./pattern_spans.ts";
export { pause } from "./pause.ts";
export { type HeldLocks, holdLocks } from "./hold_locks.ts";
export { countLineFeeds, countLines } from "./line_feeds.ts";
export { type Imported, importFds, type ReadArchive } from "./import_fds.ts";
export { listFds } from "./list_fds.ts";
export { listRemoved, type RemovedFd } from "./list_removed.ts";
export {
  charsInSlice,
  locateIn,
  locateSlice,
  type Slice,
  type SliceRequest,
  wholeSlice,
} from "./locate_slice.ts";
export {
  DEFAULT_LIMITS,
  type Environment,
  limitsFrom,
  locateStore,
  openStore,
  openUserStore,
  parseByteCount,
  type Store,
  type StoreLimits,
} from "./open_store.ts";
export {
  appendToLog,
  highestLogId,
  lastLogId,
  leaveUnbegun,
  logCondition,
  type LogFamily,
  logPath,
  readLogLines,
  startLog,
} from "./numbered_log.ts";
export type { LogJudge } from "./check_logs.ts";
export { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MIN_PAGE_SIZE } from "./page_rule.ts";
export { beginPut, type FdParent, type Put, putBytes, type PutOptions } from "./put_bytes.ts";
export { putFile } from "./put_file.ts";
export { putStream } from "./put_stream.ts";
export { contentInMemory, type OpenContent, openContent } from "./open_content.ts";
export { cursorAt } from "./read_cursor.ts";
export { readSome } from "./read_some.ts";
export { type ByteSource, readIn, readLast, readSlice, readWhole } from "./read_slice.ts";
export type { LineHit, Matches, MatchRequest } from "./match_lines.ts";
export type { PatternOptions } from "./line_finder.ts";
export type { BlockEntry } from "./block_entries.ts";
export type { BlockIndex } from "./index_file.ts";
export { type Removal, removeFd } from "./remove_fd.ts";
export { searchFd } from "./search_fd.ts";
export { sliceText } from "./slice_text.ts";
export { streamSlice } from "./stream_slice.ts";
export {
  placeStaged,
  removeFile,
  removeStaged,
  type Staged,
  type StagedContent,
  stageFile,
  type StageRequest,
  temporaryPathFor,
} from "./replace_file.ts";
export type { PutEnd } from "./seal_line.ts";
export { LAST_MOMENT_MS } from "./possible_counts.ts";
export { type Spool, startSpool } from "./spool_bytes.ts";
export { isSweepDue, sweepSometimes } from "./sweep_sometimes.ts";
export { joinBytes, textKind, utf8Bytes, utf8Text } from "./utf8_bytes.ts";
export { nodeBuffer } from "./loaded_late.ts";
export { countChars } from "./utf8_chars.ts";
export { dataPath, temporaryPath } from "./store_paths.ts";
export { syncDirectory } from "./sync_directory.ts";
export {
  isMarked,
  listOpenTransactions,
  markedMs,
  markTransaction,
  unmarkTransaction,
} from "./transaction_marks.ts";
export { thisWriter, writerFate, type WriterIdentity } from "./writer_identity.ts";
