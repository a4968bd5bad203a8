/**
 * Resolves a request in pages, lines or chars to a range of bytes (contract, Units): "start defaults to the first
 * unit, count to 1; a count that runs past the end is clamped; a start past the end is an error".
 */

import { fail, refuse } from "../disk/errors.ts";
import type { SliceMode } from "../failures.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import {
  blocksWithin,
  byteAfterPage,
  byteOfChar,
  byteOfLine,
  byteOfPage,
  charsBeforeByte,
  endsLine,
  lineFeedsBetween,
  lineOfByte,
} from "./locate_text.ts";
import { type OpenContent, usedContent } from "./open_content.ts";
import { formatFd } from "../store/fd_id.ts";
import type { Store } from "../store/open_store.ts";
import { BLOCK_BYTES, blockAt } from "../bytes/block_sum.ts";
import { leadIn } from "../bytes/utf8_chars.ts";

/** The requested part of an fd. Pages and lines count from 1, chars from 0. */
export type SliceRequest =
  | { mode: SliceMode; start?: number | undefined; count?: number | undefined }
  /** The last `tail` units. */
  | { mode: SliceMode; tail: number }
  /** Everything after a cursor ({@link cursorAt}): a slice of chars, possibly empty. */
  | { since: number }
  | { all: true };

/** A range of an fd, in its units and in bytes. */
export interface Slice {
  /** Requested unit; `page` for the whole content. */
  mode: SliceMode;
  /** First unit: pages and lines from 1, chars from 0. */
  start: number;
  /** Number of units, clamped to those that exist. */
  count: number;
  /** Whether the whole content was requested. */
  all: boolean;
  /** First byte, from 0. */
  fromByte: number;
  /** The byte after the last. */
  toByte: number;
  /** First line that the slice touches; 0 if it is empty. */
  firstLine: number;
  /** Last line that the slice touches; 0 if it is empty. */
  lastLine: number;
  /** Whether it starts inside a line. */
  continued: boolean;
  /** Whether it ends inside a line that continues or, at the end of a live fd's content so far, may continue. */
  truncated: boolean;
  /** Whether nothing follows it. */
  atEnd: boolean;
}

/** The units of a slice, without their bytes. */
type Units = Pick<Slice, "mode" | "start" | "count" | "all">;

/**
 * Resolves `request` to a slice.
 *
 * @throws {FdError} `invalid_page` or `invalid_range` with the valid range for a start past the end;
 * `invalid_parameter` for an invalid start, count or cursor; `store_corrupt`.
 */
export function locateSlice(store: Store, entry: FdEntry, request: SliceRequest): Slice {
  using content = usedContent(store, entry);
  return locateIn(content, request);
}

/** Counts the chars of a slice. */
export function charsInSlice(store: Store, entry: FdEntry, slice: Slice): number {
  if (slice.all) return entry.charCount;
  if (slice.mode === "char") return slice.count;
  using content = usedContent(store, entry);
  return charsBeforeByte(content, slice.toByte) - charsBeforeByte(content, slice.fromByte);
}

/** Like {@link locateSlice}, for content that is already open. */
export function locateIn(content: OpenContent, request: SliceRequest): Slice {
  const { entry } = content;
  if ("all" in request) return wholeSlice(entry);
  if ("since" in request) {
    const fromByte = byteOfCursor(content, request.since);
    const start = charsBeforeByte(content, fromByte);
    const count = entry.charCount - start;
    return sliceOf(content, { mode: "char", start, count, all: false }, fromByte, entry.byteCount);
  }
  const requested = unitsOf(entry, request);
  const { mode, start, count } = requested;
  const unit = unitOf(mode, entry);
  const fromByte = unit.byteOf(content, start);
  // The end of a single page follows from its start, without another search.
  const toByte = mode === "page" && count === 1
    ? byteAfterPage(content, start, fromByte)
    : unit.byteOf(content, start + count);
  return mode === "line" && count > 0
    ? wholeLines(content, requested, fromByte, toByte)
    : sliceOf(content, requested, fromByte, toByte);
}

/** Returns the units that a request selects, of those that exist. Throws like {@link locateSlice}. */
function unitsOf(entry: FdEntry, request: Extract<SliceRequest, { mode: SliceMode }>): Units {
  const { mode } = request;
  const { first, total } = unitOf(mode, entry);
  const wanted = "tail" in request
    ? checkCount("tail", request.tail)
    : checkCount("count", request.count ?? 1);
  const start = "tail" in request
    ? first + total - Math.min(wanted, total)
    : checkStart(entry, mode, request.start ?? first, first, first + total - 1);
  return { mode, start, count: Math.min(wanted, first + total - start), all: false };
}

/** Returns the whole content as a slice, without reading it. */
export function wholeSlice(entry: FdEntry): Slice {
  const isEmpty = entry.byteCount === 0;
  return {
    mode: "page",
    start: 1,
    count: entry.pageCount,
    all: true,
    fromByte: 0,
    toByte: entry.byteCount,
    firstLine: isEmpty ? 0 : 1,
    lastLine: entry.lineCount,
    continued: false,
    truncated: mayContinue(entry, entry.lineCount),
    atEnd: true,
  };
}

/** Returns the same as {@link sliceOf} for whole lines, without counting lines. */
function wholeLines(content: OpenContent, requested: Units, fromByte: number, toByte: number): Slice {
  const atEnd = toByte === content.entry.byteCount;
  const lastLine = requested.start + requested.count - 1;
  return {
    ...requested,
    fromByte,
    toByte,
    firstLine: requested.start,
    lastLine,
    continued: false,
    truncated: atEnd && lineContinues(content, toByte, lastLine),
    atEnd,
  };
}

/**
 * The table of slice modes: one row per mode. `byteOf` returns the start of a unit; the content's end for the one after the
 * last.
 */
function unitOf(mode: SliceMode, { pageCount, lineCount, charCount }: FdEntry) {
  switch (mode) {
    case "page":
      return { first: 1, total: pageCount, byteOf: byteOfPage };
    case "line":
      return { first: 1, total: lineCount, byteOf: byteOfLine };
    case "char":
      return { first: 0, total: charCount, byteOf: byteOfChar };
  }
}

/** Returns `start`, a unit that exists. */
function checkStart(entry: FdEntry, mode: SliceMode, start: number, first: number, last: number): number {
  if (!Number.isSafeInteger(start)) refuse("start", start, "a whole number");
  if (start >= first && start <= last) return start;
  const fd = formatFd(entry.id);
  if (mode === "page") return fail({ kind: "invalid_page", fd, page: start, pageCount: last });
  return fail({ kind: "invalid_range", fd, mode, start, first, last });
}

function checkCount(field: string, count: number): number {
  if (Number.isSafeInteger(count) && count >= 1) return count;
  return refuse(field, count, "a whole number of 1 or more");
}

/** Whether line `lineNumber`, which precedes byte `toByte`, continues there or may still continue. */
function lineContinues(content: OpenContent, toByte: number, lineNumber: number): boolean {
  if (toByte === content.entry.byteCount) return mayContinue(content.entry, lineNumber);
  return !endsLine(content, toByte);
}

/** Whether the last line, `lineNumber`, may continue: the content of a live fd may end anywhere so far. */
function mayContinue(entry: FdEntry, lineNumber: number): boolean {
  return entry.state === "live" && entry.lineFeedCount < lineNumber;
}

/** Returns the slice of bytes `[fromByte, toByte)`, with its lines and flags. */
function sliceOf(content: OpenContent, requested: Units, fromByte: number, toByte: number): Slice {
  const { entry } = content;
  const isEmpty = toByte === fromByte;
  const firstLine = isEmpty ? 0 : lineOfByte(content, fromByte);
  const lastLine = isEmpty ? 0 : firstLine + lineFeedsBetween(content, fromByte, toByte - 1);
  return {
    ...requested,
    fromByte,
    toByte,
    firstLine,
    lastLine,
    continued: !isEmpty && fromByte > 0 && !endsLine(content, fromByte),
    truncated: !isEmpty && lineContinues(content, toByte, lastLine),
    atEnd: toByte === entry.byteCount,
  };
}

/** The first part of a slice, and the rest. */
export interface BoundSlice {
  /** The part. Its `mode`, `start` and `count` are those of the whole slice. */
  slice: Slice;
  /** Chars in the part, at most the maximum. */
  charCount: number;
  /** The rest of the slice: whole lines of a line slice, otherwise chars. */
  rest: { mode: SliceMode; start: number; count: number };
}

/**
 * Returns the first part of `slice`, at most `maxChars` chars (1 or more), or undefined if all of it fits. The part
 * ends after its last LF or, if it has none, after exactly `maxChars` chars.
 */
export function boundSlice(
  store: Store,
  entry: FdEntry,
  slice: Slice,
  maxChars: number,
): BoundSlice | undefined {
  using content = usedContent(store, entry);
  return boundIn(content, slice, maxChars);
}

/** Like {@link boundSlice}, for content that is already open. */
export function boundIn(content: OpenContent, slice: Slice, maxChars: number): BoundSlice | undefined {
  const fromChar = charsBeforeByte(content, slice.fromByte);
  const toChar = charsBeforeByte(content, slice.toByte);
  if (toChar - fromChar <= maxChars) return undefined;

  const among = blocksWithin(slice.fromByte, maxChars);
  const limitByte = byteOfChar(content, fromChar + maxChars, among);
  const limitLine = lineOfByte(content, limitByte);
  const endsAtLineEnd = limitLine > lineOfByte(content, slice.fromByte);
  const toByte = endsAtLineEnd ? byteOfLine(content, limitLine, among) : limitByte;
  const part = sliceOf(content, slice, slice.fromByte, toByte);
  const cutChar = charsBeforeByte(content, toByte);
  const afterLast = slice.start + slice.count;
  const rest = slice.mode === "line" && endsAtLineEnd
    ? { mode: slice.mode, start: part.lastLine + 1, count: afterLast - (part.lastLine + 1) }
    : { mode: "char" as const, start: cutChar, count: toChar - cutChar };
  return { slice: part, charCount: cutChar - fromChar, rest };
}

/**
 * Returns the cursor after reading the content up to `byteOffset`: how far an fd was read, as a number of bytes sent by its
 * writer. It stays valid even if the cap later drops the middle of the content: dropped bytes are gone, but what follows
 * them is still found.
 */
export function cursorAt({ gap }: FdEntry, byteOffset: number): number {
  return gap === undefined || byteOffset <= gap.atByte ? byteOffset : byteOffset + gap.droppedBytes;
}

/**
 * Returns the byte offset in the content from which to continue at `cursor`.
 *
 * @throws {FdError} `invalid_parameter` for a number that no answer returned: beyond the end, or inside a char.
 */
function byteOfCursor(content: OpenContent, cursor: number): number {
  const { gap } = content.entry;
  const offset = offsetOfCursor(content.entry, cursor);
  const into = bytesIntoChar(content, offset);
  if (into > 0 && (gap === undefined || cursor < gap.atByte)) {
    refuse("since", cursor, "the cursor of an earlier answer; this byte is inside a character");
  }
  // Joining head and tail may have formed a new char.
  return offset - into;
}

/** Returns the byte offset of `cursor`, without regard to chars. Throws `invalid_parameter` for one beyond the end. */
function offsetOfCursor(entry: FdEntry, cursor: number): number {
  const end = cursorAt(entry, entry.byteCount);
  if (!Number.isSafeInteger(cursor) || cursor < 0 || cursor > end) {
    refuse("since", cursor, `the cursor of an earlier answer, 0 to ${end}`);
  }
  const { gap } = entry;
  return gap === undefined || cursor < gap.atByte ? cursor : Math.max(gap.atByte, cursor - gap.droppedBytes);
}

/** Returns how many bytes before `byteOffset` its char starts; 0 if it is the start of a char. */
function bytesIntoChar(content: OpenContent, byteOffset: number): number {
  const { entry, index } = content;
  let into = 0;
  while (byteOffset > into && byteOffset < entry.byteCount && !startsChar(byteOffset - into)) into++;
  return into;

  function startsChar(at: number): boolean {
    const block = blockAt(at);
    const within = at - block * BLOCK_BYTES;
    const first = index.at(block).leadIn;
    return within >= first && (within === first || leadIn(content.block(block), within, first) === 0);
  }
}
