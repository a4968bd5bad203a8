/**
 * From a request in pages, lines or chars to a range of bytes (contract, Units): "start defaults to the first
 * unit, count to 1; a count that runs past the end is clamped; a start past the end is an error".
 *
 * @module
 */

import { checkRecord, refuseArgument } from "../disk/check_argument.ts";
import { fail, SLICE_MODES, type SliceMode } from "../disk/errors.ts";
import { formatFd } from "../store/fd_id.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import {
  byteAfterPage,
  byteOfChar,
  byteOfLine,
  byteOfPage,
  charsBeforeByte,
  endsLine,
  lineFeedsBetween,
  lineOfByte,
} from "./locate_text.ts";
import { type OpenContent, openContent } from "./open_content.ts";
import { byteOfCursor } from "./read_cursor.ts";
import type { Store } from "../store/open_store.ts";

/** What part of an fd is wanted. Pages and lines count from 1, chars from 0. */
export type SliceRequest =
  | { mode: SliceMode; start?: number | undefined; count?: number | undefined }
  /** The last `tail` units. */
  | { mode: SliceMode; tail: number }
  /** All that follows what was read up to a cursor (`read_cursor.ts`): a slice of chars, empty where nothing does. */
  | { since: number }
  | { all: true };

/** A range of an fd, in the units it was asked for and in bytes. */
export interface Slice {
  /** The unit it was asked for in; of the whole, `page`. */
  mode: SliceMode;
  /** The first unit: pages and lines from 1, chars from 0. */
  start: number;
  /** Units that there are: what was asked for, clamped. */
  count: number;
  /** Whether the whole was asked for. */
  all: boolean;
  /** The first byte, from 0. */
  fromByte: number;
  /** The byte after the last. */
  toByte: number;
  /** The lines that the slice touches; 0 and 0 where it is empty. */
  firstLine: number;
  /** See `firstLine`. */
  lastLine: number;
  /** Whether it starts inside a line. */
  continued: boolean;
  /** Whether it ends inside a line that goes on, or, at the end of what has arrived of a live fd, may go on. */
  truncated: boolean;
  /** Whether nothing follows it. */
  atEnd: boolean;
}

/**
 * Where the slice lies that `request` asks for.
 *
 * @throws {FdError} `invalid_page` or `invalid_range` with the valid range for a start past the end;
 * `invalid_parameter` for a start or count that is no unit, or a cursor that is none; `store_corrupt`.
 */
export function locateSlice(store: Store, entry: FdEntry, request: SliceRequest): Slice {
  const content = openContent(store, entry);
  try {
    return locateIn(content, request);
  } finally {
    content.close();
  }
}

/** How many chars a slice holds. */
export function charsInSlice(store: Store, entry: FdEntry, slice: Slice): number {
  if (slice.all) return entry.charCount;
  if (slice.mode === "char") return slice.count;
  const content = openContent(store, entry);
  try {
    return charsBeforeByte(content, slice.toByte) - charsBeforeByte(content, slice.fromByte);
  } finally {
    content.close();
  }
}

/** The same in content that is already open. */
export function locateIn(content: OpenContent, request: SliceRequest): Slice {
  const { entry } = content;
  checkRecord("slice", request);
  if ("all" in request) return wholeSlice(entry);
  if ("since" in request) {
    const fromByte = byteOfCursor(content, request.since);
    const start = charsBeforeByte(content, fromByte);
    const count = entry.charCount - start;
    return sliceOf(content, { mode: "char", start, count, all: false }, fromByte, entry.byteCount);
  }
  const { mode } = request;
  if (!SLICE_MODES.includes(mode)) refuseArgument("mode", mode, `one of ${SLICE_MODES.join(", ")}`);
  const unit = unitOf(mode);
  const total = unit.total(content);
  const start = "tail" in request
    ? tailStart(request.tail, unit.first, total)
    : startOf(content, mode, unit, request.start);
  const wanted = "tail" in request ? request.tail : checkCount("count", request.count ?? 1);
  const count = Math.min(wanted, total - (start - unit.first));
  const fromByte = unit.byteOf(content, start);
  // The page after one that was found need not be looked for.
  const toByte = mode === "page" && count === 1
    ? byteAfterPage(content, start, fromByte)
    : unit.byteOf(content, start + count);
  const asked = { mode, start, count, all: false };
  return mode === "line" && count > 0
    ? wholeLines(content, asked, fromByte, toByte)
    : sliceOf(content, asked, fromByte, toByte);
}

/** All of an fd. What it holds need not be looked at for that. */
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
    truncated: mayGoOn(entry, entry.lineCount),
    atEnd: true,
  };
}

/** What {@link sliceOf} would find out of lines that were asked for as lines. */
function wholeLines(
  content: OpenContent,
  asked: Pick<Slice, "start" | "count">,
  fromByte: number,
  toByte: number,
): Slice {
  const atEnd = toByte === content.entry.byteCount;
  const lastLine = asked.start + asked.count - 1;
  return {
    mode: "line",
    start: asked.start,
    count: asked.count,
    all: false,
    fromByte,
    toByte,
    firstLine: asked.start,
    lastLine,
    continued: false,
    truncated: atEnd && goesOn(content, toByte, lastLine),
    atEnd,
  };
}

interface Unit {
  /** What the first one is called: 1 for pages and lines, 0 for chars. */
  first: 0 | 1;
  total(content: OpenContent): number;
  /** Where unit `unit` starts; the content's end for the one after the last. */
  byteOf(content: OpenContent, unit: number): number;
}

/** THE table of slice modes: a new mode is a new row. */
function unitOf(mode: SliceMode): Unit {
  switch (mode) {
    case "page":
      return { first: 1, total: ({ entry }) => entry.pageCount, byteOf: byteOfPage };
    case "line":
      return { first: 1, total: ({ entry }) => entry.lineCount, byteOf: byteOfLine };
    case "char":
      return { first: 0, total: ({ entry }) => entry.charCount, byteOf: byteOfChar };
  }
}

function startOf(
  content: OpenContent,
  mode: SliceMode,
  { first, total }: Unit,
  asked: number | undefined,
): number {
  const start = asked ?? first;
  if (!Number.isSafeInteger(start)) {
    fail({ kind: "invalid_parameter", field: "start", got: String(start), wanted: "a whole number" });
  }
  const last = first + total(content) - 1;
  if (start >= first && start <= last) return start;
  const fd = formatFd(content.entry.id);
  if (mode === "page") return fail({ kind: "invalid_page", fd, page: start, pageCount: last });
  return fail({ kind: "invalid_range", fd, mode, start, first, last });
}

function tailStart(tail: number, first: number, total: number): number {
  return first + Math.max(0, total - checkCount("tail", tail));
}

function checkCount(field: string, count: number): number {
  if (Number.isSafeInteger(count) && count >= 1) return count;
  return fail({
    kind: "invalid_parameter",
    field,
    got: String(count),
    wanted: "a whole number of 1 or more",
  });
}

/** Whether line `lineNumber`, which stands before byte `toByte`, goes on there, or is not known to have ended. */
function goesOn(content: OpenContent, toByte: number, lineNumber: number): boolean {
  if (toByte === content.entry.byteCount) return mayGoOn(content.entry, lineNumber);
  return !endsLine(content, toByte);
}

/** Whether the last line of all, `lineNumber`, may go on: what has arrived of a live fd may end anywhere. */
function mayGoOn(entry: FdEntry, lineNumber: number): boolean {
  return entry.state === "live" && entry.lineFeedCount < lineNumber;
}

/** The slice of bytes `[fromByte, toByte)`, with its lines and flags. */
export function sliceOf(
  content: OpenContent,
  asked: Pick<Slice, "mode" | "start" | "count" | "all">,
  fromByte: number,
  toByte: number,
): Slice {
  const { entry } = content;
  const isEmpty = toByte === fromByte;
  const firstLine = isEmpty ? 0 : lineOfByte(content, fromByte);
  const lastLine = isEmpty ? 0 : firstLine + lineFeedsBetween(content, fromByte, toByte - 1);
  const { mode, start, count, all } = asked;
  return {
    mode,
    start,
    count,
    all,
    fromByte,
    toByte,
    firstLine,
    lastLine,
    continued: !isEmpty && fromByte > 0 && !endsLine(content, fromByte),
    truncated: !isEmpty && goesOn(content, toByte, lastLine),
    atEnd: toByte === entry.byteCount,
  };
}
