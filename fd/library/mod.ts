/**
 * The store of virtual file descriptors as a library, for Node, Bun and Deno: put bytes of any size into it, get a
 * handle that never changes its meaning, and read slices by page, line or char without reading the rest.
 *
 * ```ts
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { findFd, formatFd, openStore, putStream, searchFd, sliceText } from "./mod.ts";
 *
 * const dir = mkdtempSync("/tmp/fd-example-");
 * const store = openStore(dir);
 *
 * // Any stream of bytes can be stored; the handle is valid later, in any process.
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
 * rmSync(dir, { recursive: true });
 * ```
 *
 * Every expected failure is an {@link FdError}, whose `failure` is one of a closed union of kinds with fields
 * ({@link FdFailure}); any other error is a bug. A wrong argument is `invalid_parameter`, before anything is created.
 * Functions that return a promise reject with it; the others throw. Disk operations are synchronous, since they take
 * microseconds. Any number of processes can use a store at once.
 *
 * @module
 */

export { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MIN_PAGE_SIZE } from "../bytes/page_rule.ts";
export { FdError } from "../disk/errors.ts";
export { type FdFailure, SLICE_MODES, type SliceMode, type StorePromise } from "../failures.ts";
export { DEFAULT_LIMITS, type Environment, type Store, type StoreLimits } from "../store/open_store.ts";
export {
  checkStore,
  type CleaningRequest,
  collectGarbage,
  exportFds,
  type ForkRequest,
  forkStore,
  importFds,
  listRemoved,
  openStore,
  openUserStore,
  removeFd,
  sweepSometimes,
} from "./store.ts";

export type { FdParent, PutOptions } from "../put/put_options.ts";
export { beginPut, type OpenPut, putBytes, putFile, putStream } from "./put.ts";

export type { FdEntry, FdState, PutEnd, Removal } from "../records/fd_entry.ts";
export type { BoundName } from "../store/bind_name.ts";
export {
  awaitFd,
  type AwaitOptions,
  bindName,
  findFd,
  formatFd,
  highestId,
  listFds,
  listNames,
  type ListOptions,
} from "./find.ts";

export type { BoundSlice, Slice, SliceRequest } from "../slices/locate_slice.ts";
export type { ByteSource } from "../slices/read_slice.ts";
export {
  boundSlice,
  cleanBytes,
  cursorAt,
  deriveFd,
  digestFd,
  exportSlice,
  locateSlice,
  plainFile,
  readSlice,
  readWhole,
  searchFd,
  searchFds,
  sliceText,
  streamSlice,
} from "./read.ts";

export type { PatternOptions } from "../search/line_finder.ts";
export type { LineHit, Matches, MatchRequest } from "../search/match_lines.ts";
export type { FoundIn } from "../search/search_fd.ts";

export type { CheckReport, Finding } from "../upkeep/check_report.ts";
export type { PackReport } from "../packing/pack_store.ts";
export type { GcReport } from "../upkeep/collect_garbage.ts";
export type { RemovedFd } from "../upkeep/remove_fd.ts";

export type { Imported, ReadArchive } from "../archive/import_fds.ts";
export type { ForkReport } from "../forks/fork_store.ts";
