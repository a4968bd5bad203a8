/** Reads slices of fds, and searches them. @module */

import { orUndo } from "../disk/errors.ts";
import { cleanBytes as clean } from "../clean/clean_text.ts";
import { refuseArgument } from "../disk/check_argument.ts";
import { aCount, aFunction, madeHere } from "./argument_checks.ts";
import {
  byteRange,
  checkArguments,
  deriveOptions,
  searchRequest,
  searchRequestOfMany,
} from "./known_records.ts";
import { placeStaged, removeStaged, stageFile, temporaryPathFor } from "../disk/replace_file.ts";
import { plainFile as plain } from "../packing/plain_file.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import type { Matches, MatchRequest } from "../search/match_lines.ts";
import { type FoundIn, searchFd as searchOne, searchFds as searchMany } from "../search/search_fd.ts";
import { deriveFd as derive } from "../slices/derive_fd.ts";
import { digestFd as digest } from "../slices/digest_fd.ts";
import {
  type BoundSlice,
  boundSlice as bound,
  cursorAt as cursor,
  locateSlice as locate,
  type Slice,
  type SliceRequest,
} from "../slices/locate_slice.ts";
import {
  type ByteRange,
  type ByteSource,
  readSlice as read,
  readWhole as readAll,
} from "../slices/read_slice.ts";
import type { Store } from "../store/open_store.ts";

/**
 * Resolves a request in pages, lines or chars to a range of bytes. Pages and lines count from 1, chars (code points)
 * from 0. A `count` beyond the end is clamped; a `start` beyond it is an error.
 *
 * @throws {FdError} `invalid_page` or `invalid_range`, which state the valid range; `invalid_parameter`;
 * `store_corrupt`.
 */
export function locateSlice(store: Store, entry: FdEntry, request: SliceRequest): Slice {
  checkArguments({ store, entry, request });
  return locate(store, entry, request);
}

/**
 * Returns a slice as text, all in memory. Each maximal ill-formed subpart of UTF-8 becomes U+FFFD; a byte order mark
 * is kept. For exact bytes, or many of them, see {@link readSlice} and {@link streamSlice}.
 *
 * ```ts
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { openStore, putBytes, sliceText } from "./mod.ts";
 *
 * const dir = mkdtempSync("/tmp/fd-example-");
 * const store = openStore(dir);
 * const entry = putBytes(store, new TextEncoder().encode("one\ntwo\nthree\n"), { source: "example" });
 * if (sliceText(store, entry, { mode: "line", start: 2, count: 2 }) !== "two\nthree\n") throw new Error();
 * if (sliceText(store, entry, { mode: "char", start: 4, count: 3 }) !== "two") throw new Error();
 * if (sliceText(store, entry, { mode: "line", tail: 1 }) !== "three\n") throw new Error();
 * rmSync(dir, { recursive: true });
 * ```
 *
 * @throws {FdError} like {@link locateSlice}; `store_corrupt` if the bytes differ from those stored.
 */
export function sliceText(store: Store, entry: FdEntry, request: SliceRequest): string {
  checkArguments({ store, entry, request });
  const bytes = readAll(read(store, entry, locate(store, entry, request)));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/**
 * Returns bytes `[fromByte, toByte)` of an fd, to be walked in pieces of at most 64 KiB. Nothing is read before that.
 *
 * @throws {FdError} `invalid_parameter` for a range outside the content; while it is walked, `store_corrupt` if the
 * bytes differ from those stored.
 */
export function readSlice(store: Store, entry: FdEntry, slice: ByteRange): ByteSource {
  checkArguments({ store, entry, slice }, { slice: byteRange });
  checkInside(entry, slice);
  return read(store, entry, slice);
}

function checkInside({ byteCount }: FdEntry, { fromByte, toByte }: ByteRange): void {
  if (fromByte > toByte || toByte > byteCount) {
    refuseArgument("slice", `bytes ${fromByte} to ${toByte}`, `a range within 0 to ${byteCount}`);
  }
}

/** Reads all bytes of a source that is known to be small. */
export function readWhole(source: ByteSource): Uint8Array {
  checkArguments({ source }, {
    source: madeHere({ byteLength: aCount(0), chunks: aFunction }, "a source from readSlice or exportFds"),
  });
  return readAll(source);
}

/**
 * Returns a slice as a stream of bytes that reads on demand, for a `Response`, `pipeTo` or a process's stdin. Each
 * piece is a copy. Cancelling closes the fd. Damage makes the stream fail before any wrong byte.
 *
 * @throws {FdError} like {@link locateSlice}.
 */
export function streamSlice(
  store: Store,
  entry: FdEntry,
  request: SliceRequest,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  checkArguments({ store, entry, request });
  const chunks = read(store, entry, locate(store, entry, request)).chunks()[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const { done, value } = chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    cancel() {
      chunks.return?.();
    },
  }, { highWaterMark: 0 });
}

/**
 * Writes a slice to a new file and syncs it. Returns the number of bytes. If it fails, nothing is at `path`; a file
 * that exists is never replaced, since the library has no backups and no journal: the program's `to-file` does that. The
 * directory must exist.
 *
 * @throws {FdError} `file_exists`; `storage_full`, `permission_error`, `write_error`; like {@link sliceText}.
 */
export function exportSlice(store: Store, entry: FdEntry, request: SliceRequest, path: string): number {
  checkArguments({ store, entry, request, path });
  const content = read(store, entry, locate(store, entry, request));
  const temporaryPath = temporaryPathFor(path);
  const { byteCount } = stageFile({ temporaryPath, shownPath: path, content });
  const place = () => placeStaged(temporaryPath, path, { mustBeNew: true });
  orUndo(place, () => removeStaged(temporaryPath));
  return byteCount;
}

/**
 * Stores a slice as a new fd with the same page size; its `parent` says where it is from. Binds `names` to it.
 *
 * @throws {FdError} `invalid_parameter`; `store_corrupt` before an id is taken if the slice cannot be read;
 * `permission_error`, `storage_full`, `write_error`.
 */
export function deriveFd(
  store: Store,
  entry: FdEntry,
  slice: Slice,
  options: { names?: string[] | undefined } = {},
): FdEntry {
  checkArguments({ store, entry, slice, options }, { options: deriveOptions });
  checkInside(entry, slice);
  return derive(store, entry, slice, options);
}

/**
 * Returns the first part of `slice`, at most `maxChars` chars (1 or more), and what is left; undefined if all of it
 * fits. The part ends after its last LF or, if it has none, after exactly `maxChars` chars.
 *
 * @throws {FdError} `invalid_parameter`; `store_corrupt`.
 */
export function boundSlice(
  store: Store,
  entry: FdEntry,
  slice: Slice,
  maxChars: number,
): BoundSlice | undefined {
  checkArguments({ store, entry, slice, maxChars }, { maxChars: aCount(1) });
  checkInside(entry, slice);
  return bound(store, entry, slice, maxChars);
}

/**
 * Returns the cursor for continuing after having read `entry` up to `byteOffset`, 0 to `entry.byteCount`. `{ since: cursor }`
 * reads what follows, also when the fd has grown or ended since.
 *
 * @throws {FdError} `invalid_parameter` for an offset outside the content.
 */
export function cursorAt(entry: FdEntry, byteOffset: number): number {
  checkArguments({ entry });
  checkArguments({ byteOffset }, { byteOffset: aCount(0, entry.byteCount) });
  return cursor(entry, byteOffset);
}

/**
 * Returns the sha-256 of an fd's content, in hex. It is computed when first asked for, and kept; of a live fd it covers
 * the content so far.
 *
 * @throws {FdError} `store_corrupt` if the content differs from what was stored.
 */
export async function digestFd(store: Store, entry: FdEntry): Promise<string> {
  checkArguments({ store, entry });
  return await digest(store, entry);
}

/**
 * Returns the path of a file with the content and nothing else, for other programs. Read it, never write it. Content
 * that is small or packed is written there first; it stays until it was not read for a day.
 *
 * @throws {FdError} `store_corrupt`, `storage_full`, `write_error`.
 */
export async function plainFile(store: Store, entry: FdEntry): Promise<string> {
  checkArguments({ store, entry });
  return await plain(store, entry);
}

/**
 * Returns what a terminal of one row would have left standing of each line: escape sequences and overwritten text are
 * left out, other control characters are shown. Returns `bytes` itself if they are clean.
 *
 * ```ts
 * import { cleanBytes } from "./mod.ts";
 * const clean = (text: string) => new TextDecoder().decode(cleanBytes(new TextEncoder().encode(text)));
 * if (clean("\x1b[1;31merror\x1b[0m\r\n") !== "error\n") throw new Error();
 * if (clean(" 10%\r100%\x07") !== "100%\\x07") throw new Error();
 * ```
 */
export function cleanBytes(bytes: Uint8Array): Uint8Array {
  checkArguments({ bytes });
  return clean(bytes);
}

/**
 * Finds the lines of an fd that match a pattern of RE2 syntax, which cannot hang. `total` counts all of them, and
 * `hits` has the first `keep`. With `extract`, matching lines become a new fd.
 *
 * ```ts
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { openStore, putBytes, searchFd } from "./mod.ts";
 *
 * const dir = mkdtempSync("/tmp/fd-example-");
 * const store = openStore(dir);
 * const entry = putBytes(store, new TextEncoder().encode("ok\nerror: 1\nok\nerror: 2\n"), { source: "example" });
 * const { total, hits } = await searchFd(store, entry, { pattern: "^error", keep: 1 });
 * if (total !== 2 || hits[0]?.lineNumber !== 2) throw new Error();
 * rmSync(dir, { recursive: true });
 * ```
 *
 * @throws {FdError} `invalid_parameter` for a pattern that is invalid, not supported (lookaround, backreferences) or
 * too large, before an id is taken; `store_corrupt`; while storing, like {@link putBytes}.
 */
export async function searchFd(store: Store, entry: FdEntry, request: MatchRequest): Promise<Matches> {
  checkArguments({ store, entry, request }, { request: searchRequest });
  return await searchOne(store, entry, request);
}

/**
 * Searches each of `entries` in turn, and yields the result of each. One that cannot be read yields its `failure` and
 * does not end the search.
 *
 * @throws {FdError} `invalid_parameter` like {@link searchFd}.
 */
export function searchFds(
  store: Store,
  entries: readonly FdEntry[],
  request: Omit<MatchRequest, "extract">,
): AsyncGenerator<FoundIn, void> {
  checkArguments({ store, entries, request }, { request: searchRequestOfMany });
  return searchMany(store, entries, request);
}
