/**
 * A slow and obvious model of the units (contract, Units): what a char, a line, a page and a slice are. It shares no code
 * with the program and uses no index: everything is an array that is built front to back. Correct by inspection is all
 * it tries to be; `model_test.ts` holds it against the contract's own examples.
 */

/** A slice's unit. */
export type Mode = "page" | "line" | "char";

/** Chars `from` (included) to `to` (excluded), offsets from 0. */
export interface CharRange {
  from: number;
  to: number;
}

/** The expected fields of a slice. */
export interface Slice {
  bytes: Uint8Array;
  chars: CharRange;
  /** Units that the slice really holds, after clamping. */
  count: number;
  start: number;
  continued: boolean;
  truncated: boolean;
  /** "41-80"; "0-0" without lines. */
  lines: string;
}

/** A start outside the content; `valid` is the range that the message must state, undefined if nothing is valid. */
export interface OutOfRange {
  error: "invalid_page" | "invalid_range";
  valid: { first: number; last: number } | undefined;
}

/** One content, taken apart. */
export interface Model {
  content: Uint8Array;
  pageSize: number;
  /** The byte at which each char starts, and after the last one the byte count. */
  charStarts: number[];
  charCount: number;
  lines: CharRange[];
  pages: CharRange[];
}

const LF = 0x0a;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes `bytes` for a reader: ill-formed input as U+FFFD, with the BOM. */
export function shown(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Whether `bytes` are well-formed UTF-8. */
export function isWellFormed(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/**
 * The byte offsets at which chars start. A char is the longest run of at most four bytes that the WHATWG decoder turns
 * into exactly one code point: a whole code point, or one maximal ill-formed subpart.
 */
function startsOfChars(content: Uint8Array): number[] {
  const starts: number[] = [];
  let at = 0;
  while (at < content.length) {
    starts.push(at);
    at += lengthOfChar(content.subarray(at, at + 4));
  }
  starts.push(content.length);
  return starts;
}

const lengthsSeen = new Map<string, number>();

/** How many of these at most four bytes the first char takes. */
function lengthOfChar(bytes: Uint8Array): number {
  const first = bytes[0];
  if (first !== undefined && first < 0x80) return 1;
  const key = bytes.join();
  const seen = lengthsSeen.get(key);
  if (seen !== undefined) return seen;
  let length = 1;
  while (length < bytes.length && [...shown(bytes.subarray(0, length + 1))].length === 1) length++;
  lengthsSeen.set(key, length);
  return length;
}

/** Takes `content` apart for pages of at most `pageSize` chars. */
export function model(content: Uint8Array, pageSize = 4000): Model {
  const charStarts = startsOfChars(content);
  const charCount = charStarts.length - 1;
  const isLineFeed = (char: number) => content[charStarts[char] ?? -1] === LF;

  const lines: CharRange[] = [];
  let lineStart = 0;
  for (let char = 0; char < charCount; char++) {
    if (!isLineFeed(char)) continue;
    lines.push({ from: lineStart, to: char + 1 });
    lineStart = char + 1;
  }
  if (lineStart < charCount) lines.push({ from: lineStart, to: charCount });

  const pages: CharRange[] = [];
  let pageStart = 0;
  while (charCount - pageStart > pageSize) {
    let end = pageStart + pageSize;
    while (end > pageStart && !isLineFeed(end - 1)) end--;
    if (end === pageStart) end = pageStart + pageSize;
    pages.push({ from: pageStart, to: end });
    pageStart = end;
  }
  if (pageStart < charCount || pages.length === 0) pages.push({ from: pageStart, to: charCount });

  return { content, pageSize, charStarts, charCount, lines, pages };
}

/** The bytes of a range of chars. */
export function bytesOf(m: Model, range: CharRange): Uint8Array {
  return m.content.subarray(m.charStarts[range.from], m.charStarts[range.to]);
}

/** The number of units of `mode` that the content has. */
export function unitCount(m: Model, mode: Mode): number {
  return { page: m.pages.length, line: m.lines.length, char: m.charCount }[mode];
}

/** The number of the first unit: pages and lines count from 1, chars are offsets from 0. */
export function firstUnit(mode: Mode): number {
  return mode === "char" ? 0 : 1;
}

/** `count` units of `mode` from `start`, or why there is no such slice. */
export function slice(m: Model, mode: Mode, start: number, count: number): Slice | OutOfRange {
  const first = firstUnit(mode);
  const last = first + unitCount(m, mode) - 1;
  if (start < first || start > last) {
    return {
      error: mode === "page" ? "invalid_page" : "invalid_range",
      valid: last < first ? undefined : { first, last },
    };
  }
  const held = Math.min(count, last - start + 1);
  if (mode === "char") return sliceOfChars(m, { from: start, to: start + held }, start, held);
  const units = (mode === "page" ? m.pages : m.lines).slice(start - 1, start - 1 + held);
  return sliceOfChars(m, { from: units[0]?.from ?? 0, to: units.at(-1)?.to ?? 0 }, start, held);
}

/** The last `count` units of `mode`; undefined without units. */
export function tail(m: Model, mode: Mode, count: number): Slice | undefined {
  const total = unitCount(m, mode);
  if (total === 0) return undefined;
  const held = Math.min(count, total);
  const found = slice(m, mode, firstUnit(mode) + total - held, held);
  return "error" in found ? undefined : found;
}

/** All of the content, seen as pages. */
export function whole(m: Model): Slice {
  return sliceOfChars(m, { from: 0, to: m.charCount }, 1, m.pages.length);
}

function sliceOfChars(m: Model, chars: CharRange, start: number, count: number): Slice {
  const endsWithLineFeed = (char: number) => m.content[m.charStarts[char - 1] ?? -1] === LF;
  const isEmpty = chars.from === chars.to;
  return {
    bytes: bytesOf(m, chars),
    chars,
    start,
    count,
    continued: !isEmpty && chars.from > 0 && !endsWithLineFeed(chars.from),
    truncated: !isEmpty && chars.to < m.charCount && !endsWithLineFeed(chars.to),
    lines: isEmpty ? "0-0" : `${lineOfChar(m, chars.from)}-${lineOfChar(m, chars.to - 1)}`,
  };
}

/** The number, from 1, of the line with char `char`. */
export function lineOfChar(m: Model, char: number): number {
  return m.lines.findIndex((line) => line.from <= char && char < line.to) + 1;
}
