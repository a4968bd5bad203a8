/**
 * Failures, the system's files, and rules over bytes in memory, which the store and the tool both use. Nothing here knows
 * of a store; `mod.ts` is for that.
 */

export { BLOCK_BYTES, blockSumText } from "./bytes/block_sum.ts";
export { hugeDecimal, parseDecimal } from "./bytes/decimal.ts";
export { countLineFeeds, countLines } from "./bytes/line_feeds.ts";
export { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MIN_PAGE_SIZE } from "./bytes/page_rule.ts";
export { byteSearch, placesOfSought, prepareSought } from "./bytes/sequence_search.ts";
export { startKernel } from "./bytes/start_kernel.ts";
export { joinBytes, textKind, utf8Bytes, utf8Text } from "./bytes/utf8_bytes.ts";
export { countChars, startOfUnfinished } from "./bytes/utf8_chars.ts";
export { cleanBytes, cleanChunks, Cleaning, type SeeOverwritten } from "./clean/clean_text.ts";
export { startLiveView } from "./clean/live_view.ts";
export { needsCleaning } from "./clean/needs_cleaning.ts";
export { checkPath } from "./disk/check_argument.ts";
export { disk } from "./disk/disk.ts";
export {
  atEnd,
  attempt,
  fail,
  failureIn,
  failureOfSystem,
  FdError,
  ifPossible,
  orUndo,
  refuse,
  systemCode,
  undefinedIf,
} from "./disk/errors.ts";
export { closeReader, inFile, readAt, readSome, statIfPossible, syncDirectory } from "./disk/file_calls.ts";
export { nodeBuffer, nodePath } from "./disk/loaded_late.ts";
export type { OnProgress } from "./disk/on_progress.ts";
export { openRegular, otherKind } from "./disk/open_regular.ts";
export { pause } from "./disk/disk.ts";
export { placeStaged, removeFile, removeStaged, stageFile, temporaryPathFor } from "./disk/replace_file.ts";
export { type FdFailure, SLICE_MODES, type SliceMode, type StorePromise } from "./failures.ts";
