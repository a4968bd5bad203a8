/**
 * Lines of an fd as the page scrolls to them, found by the block index. However long the lines are, one answer is
 * bounded: of each line only the start is read, and a long line is read further by rows of equal length.
 */

import { Buffer } from "node:buffer";
import {
  type ByteRange,
  charsBeforeByte,
  type LineHit,
  lineOfByte,
  locateIn,
  type OpenContent,
  prepareBytes,
  readIn,
  readWhole,
  type SpanFinder,
  spanFinder,
  type Store,
  usedContent,
  whenReady,
} from "../../fd/mod.ts";
import { cleanBytes, ifPossible, needsCleaning } from "../../fd/system.ts";
import { plainText } from "../calls/terms/control_chars.ts";
import { numberIn, UiFault } from "./check_request.ts";
import { fdRow } from "./fd_rows.ts";
import { type Level, levelOf } from "./line_levels.ts";
import { pageText } from "./page_text.ts";

const MAX_LINES = 500;
/** Bytes read of one line, and chars shown of it. */
const READ_BYTES = 16_384;
export const SHOWN_CHARS = 2000;
/** Bytes of text after which an answer ends early; the page asks for the rest. */
const MAX_ANSWER_BYTES = 1_048_576;
/** Bytes of a line in which its level is looked for. */
const LEVEL_BYTES = 400;
/** Matches marked in one line. */
const MAX_MARKS = 100;
/** Bytes before its first match that are shown of a long line. */
const BEFORE_BYTES = 200;
/** Chars in a row of a long line. */
const ROW_CHARS = 200;
const MAX_ROWS = 200;

const LINE_FEED = 0x0a;
const ESCAPE = 0x1b;

/** A line: its text, the ranges of it that match or are styled (in UTF-16 units), whether more of it is not shown, its level. */
interface LineRow {
  t: string;
  m?: [number, number][];
  s?: StyledRange[];
  cut?: true;
  l?: Level | "debug";
}

/** The lines from `from` on, at most `count`, of an fd. Beyond its end there are none. */
export async function lineRows(store: Store, query: URLSearchParams) {
  const entry = await pageText(store, query);
  const from = numberIn(query, "from", { least: 1, most: Number.MAX_SAFE_INTEGER, otherwise: 1 });
  const count = numberIn(query, "count", { least: 1, most: MAX_LINES, otherwise: 100 });
  const state = fdRow(store, entry, []);
  if (from > entry.lineCount) return { ...state, from, lines: [] };
  using content = usedContent(store, entry);
  return { ...state, from, lines: await readLines(store, content, from, count, markerOf(query)) };
}

/** A matching line by its number; a long one is shown from shortly before its match, `from` a byte of it. */
export async function hitRow(
  store: Store,
  content: OpenContent,
  { fromByte, toByte, hitByte, lineNumber }: LineHit,
  marker: SpanFinder | undefined,
): Promise<LineRow & { n: number; from?: number }> {
  const skipped = hitByte - fromByte < SHOWN_CHARS / 2 ? 0 : hitByte - fromByte - BEFORE_BYTES;
  const start = fromByte + skipped;
  const end = Math.min(toByte, start + READ_BYTES);
  let bytes = await readBytes(store, content, { fromByte: start, toByte: end });
  while (skipped > 0 && (bytes[0]! & 0xc0) === 0x80) bytes = bytes.subarray(1);
  if (bytes.at(-1) === LINE_FEED) bytes = bytes.subarray(0, -1);
  const row = lineRow(bytes, toByte - start, marker);
  return { n: lineNumber, ...skipped > 0 ? { from: skipped } : {}, ...row };
}

/** Finds what to mark in a line; undefined without a valid pattern (the search itself reports an invalid one). */
export function markerOf(query: URLSearchParams): SpanFinder | undefined {
  const pattern = query.get("pattern") ?? "";
  if (pattern === "") return undefined;
  const plain = query.get("fixed") === "1" ? pattern.replace(/[\\^$.[\]|()?*+{}]/g, "\\$&") : pattern;
  return ifPossible(() => spanFinder(query.get("case") === "1" ? plain : `(?i)${plain}`));
}

async function readLines(
  store: Store,
  content: OpenContent,
  from: number,
  count: number,
  marker: SpanFinder | undefined,
): Promise<LineRow[]> {
  const all = await whenReady(content, (ready) => locateIn(ready, { mode: "line", start: from, count }));
  const rows: LineRow[] = [];
  let answerBytes = 0;
  let { fromByte } = all;
  for (let line = from; line < from + all.count && answerBytes < MAX_ANSWER_BYTES; line++) {
    const { text, toByte } = await readLine(store, content, line, { fromByte, toByte: all.toByte });
    rows.push(lineRow(text, toByte - fromByte, marker));
    answerBytes += Math.min(text.length, SHOWN_CHARS);
    fromByte = toByte;
  }
  return rows;
}

/** The start of the line that begins a range of bytes, and where the line ends. */
async function readLine(store: Store, content: OpenContent, line: number, { fromByte, toByte }: ByteRange) {
  const bytes = await readBytes(store, content, {
    fromByte,
    toByte: Math.min(toByte, fromByte + READ_BYTES),
  });
  const feed = bytes.indexOf(LINE_FEED);
  if (feed >= 0) return { text: bytes.subarray(0, feed), toByte: fromByte + feed + 1 };
  const located = await whenReady(content, (ready) => locateIn(ready, { mode: "line", start: line }));
  return { text: bytes, toByte: located.toByte };
}

/** The line that starts at a byte, with its number, and as it is stored. */
export async function rowAt(store: Store, content: OpenContent, fromByte: number, marker?: SpanFinder) {
  const n = await whenReady(content, (ready) => lineOfByte(ready, fromByte));
  const { text, toByte } = await readLine(store, content, n, { fromByte, toByte: content.entry.byteCount });
  return { n, stored: Buffer.from(text).toString("utf8"), ...lineRow(text, toByte - fromByte, marker) };
}

/** The texts of `count` lines, as far as they are in the first bytes of all of them. */
export async function linesAt(
  store: Store,
  content: OpenContent,
  start: number,
  count: number,
): Promise<string[]> {
  const all = await whenReady(content, (ready) => locateIn(ready, { mode: "line", start, count }));
  const toByte = Math.min(all.toByte, all.fromByte + READ_BYTES);
  const bytes = await readBytes(store, content, { fromByte: all.fromByte, toByte });
  return Buffer.from(needsCleaning(bytes) ? cleanBytes(bytes) : bytes).toString("utf8").split("\n");
}

/** The row of a line of `lineBytes` that starts with `bytes`. */
function lineRow(bytes: Uint8Array, lineBytes: number, marker: SpanFinder | undefined): LineRow {
  const isPart = lineBytes > READ_BYTES;
  const clean = Buffer.from(needsCleaning(bytes) ? cleanBytes(bytes) : bytes);
  const whole = clean.toString("utf8");
  const text = cutText(isPart ? whole.replace(/\uFFFD$/, "") : whole);
  const marks = marker === undefined ? [] : marksIn(clean, text.length, marker);
  const styled = bytes.includes(ESCAPE) ? styledRanges(Buffer.from(bytes).toString("utf8"), text) : [];
  const level = ifPossible(() => levelOf(clean.subarray(0, LEVEL_BYTES)));
  return {
    t: text,
    ...level === undefined ? {} : { l: level },
    ...styled.length === 0 ? {} : { s: styled },
    ...marks.length === 0 ? {} : { m: marks },
    ...isPart || text.length < whole.length ? { cut: true } : {},
  };
}

/** At most {@link SHOWN_CHARS} of a text, and no half of a pair. */
export function cutText(text: string): string {
  if (text.length <= SHOWN_CHARS) return text;
  const last = text.charCodeAt(SHOWN_CHARS - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? SHOWN_CHARS - 1 : SHOWN_CHARS);
}

function marksIn(line: Buffer, shownUnits: number, marker: SpanFinder): [number, number][] {
  const marks: [number, number][] = [];
  // A pattern with too much work in one line still has its lines found.
  for (const { fromByte, toByte } of ifPossible(() => marker.spans(line).slice(0, MAX_MARKS)) ?? []) {
    const start = line.toString("utf8", 0, fromByte).length;
    if (start >= shownUnits) break;
    marks.push([start, Math.min(shownUnits, start + line.toString("utf8", fromByte, toByte).length)]);
  }
  return marks;
}

/** Rows of a long line: `row` (from 0) and those after it, each of {@link ROW_CHARS} chars as stored. */
export async function longLineRows(store: Store, query: URLSearchParams) {
  const entry = await pageText(store, query);
  const line = numberIn(query, "line", { least: 1, most: Number.MAX_SAFE_INTEGER });
  const row = numberIn(query, "row", { least: 0, most: Number.MAX_SAFE_INTEGER, otherwise: 0 });
  const count = numberIn(query, "count", { least: 1, most: MAX_ROWS, otherwise: 50 });
  if (line > entry.lineCount) throw new UiFault(404, `${query.get("fd")} has ${entry.lineCount} lines.`);
  using content = usedContent(store, entry);
  const first = await charAt(content, line);
  const hasFeed = line < entry.lineCount || entry.lineFeedCount === entry.lineCount;
  const next = line === entry.lineCount ? entry.charCount : await charAt(content, line + 1);
  const end = hasFeed ? next - 1 : next;
  const chars = Math.max(0, end - first);
  const from = row * ROW_CHARS;
  const rows: string[] = [];
  if (from < chars) {
    const charCount = Math.min(count * ROW_CHARS, chars - from);
    const slice = await whenReady(
      content,
      (ready) => locateIn(ready, { mode: "char", start: first + from, count: charCount }),
    );
    const shown = [...Buffer.from(await readBytes(store, content, slice)).toString("utf8")];
    for (let at = 0; at < shown.length; at += ROW_CHARS) {
      rows.push(plainText(shown.slice(at, at + ROW_CHARS).join("")));
    }
  }
  return { line, chars, rowChars: ROW_CHARS, totalRows: Math.ceil(chars / ROW_CHARS), row, rows };
}

/** The number of chars before a line. */
async function charAt(content: OpenContent, line: number): Promise<number> {
  const slice = await whenReady(content, (ready) => locateIn(ready, { mode: "line", start: line }));
  return await whenReady(content, (ready) => charsBeforeByte(ready, slice.fromByte));
}

async function readBytes(store: Store, content: OpenContent, range: ByteRange): Promise<Uint8Array> {
  await prepareBytes(content, range);
  return readWhole(readIn(store, content, range));
}

/** The colours that a terminal would have shown a line in (ECMA-48, SGR; 256 and true colours as in ITU T.416). */

/** A range of a line (in UTF-16 units): classes of the page, and colours that are no classes. */
type StyledRange = readonly [from: number, to: number, classes: string, colors?: Colors | undefined];

type Colors = { fg?: string; bg?: string };

/** Classes of the page (`bold`, `fg1`, `bg12`) and colours, by what they are about: an attribute, `fg` or `bg`. */
type Style = ReadonlyMap<string, string>;

/** Any other sequence than SGR moves the cursor or wipes, so that text and bytes differ in order. */
// deno-lint-ignore no-control-regex
const SGR = /\x1b\[([\d;:]*)m/g;
const ATTRIBUTES: Readonly<Record<number, string>> = {
  1: "bold",
  2: "dim",
  3: "italic",
  4: "underline",
  7: "inverse",
  9: "struck",
};
/** Colours are of the text or of its ground, by the tens of their codes. */
const GROUNDS: Readonly<Record<number, keyof Colors>> = { 3: "fg", 4: "bg", 9: "fg", 10: "bg" };
/** The most ranges of a line. */
const MAX_RANGES = 200;

/**
 * The ranges of `text`, the clean view of `stored`, that a terminal would have shown in colours (ECMA-48, SGR; 256
 * and true colours as in ITU T.416); none if more than its colours was taken out.
 */
export function styledRanges(stored: string, text: string): StyledRange[] {
  const ranges: StyledRange[] = [];
  let [plain, style, at] = ["", new Map() as Style, 0];
  const take = (piece: string) => {
    const to = Math.min(text.length, plain.length + piece.length);
    if (style.size > 0 && plain.length < to) {
      const classes = [...style.values()].filter((value) => !isColor(value)).join(" ");
      const colors = [...style].filter(([, value]) => isColor(value));
      ranges.push([plain.length, to, classes, colors.length > 0 ? Object.fromEntries(colors) : undefined]);
    }
    plain += piece;
  };
  for (const match of stored.matchAll(SGR)) {
    take(stored.slice(at, match.index));
    at = match.index + match[0].length;
    style = styleAfter(style, match[1]!);
  }
  take(stored.slice(at));
  return plain.startsWith(text) && ranges.length <= MAX_RANGES ? ranges : [];
}

function isColor(value: string): boolean {
  return value.startsWith("rgb");
}

function styleAfter(before: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number);
  const style = new Map(before);
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]!;
    const [tens, color] = [Math.floor(code / 10), code % 10];
    const started = ATTRIBUTES[code];
    const ended = code === 21 ? undefined : ATTRIBUTES[code - 20];
    const ground = GROUNDS[tens];
    if (code === 0) style.clear();
    else if (started !== undefined) style.set(started, started);
    else if (ended !== undefined) {
      style.delete(ended);
      if (ended === "dim") style.delete("bold");
    } else if (ground === undefined) continue;
    else if (color === 9) style.delete(ground);
    else if (color === 8) {
      const isIndex = codes[at + 1] === 5;
      style.set(ground, isIndex ? indexed(codes[at + 2], ground) : rgb(codes.slice(at + 2, at + 5)));
      at += isIndex ? 2 : 4;
    } else style.set(ground, `${ground}${color + (tens >= 9 ? 8 : 0)}`);
  }
  return style;
}

/** A colour of the 256: 16 named ones, a cube of 6 × 6 × 6, and 24 greys. */
function indexed(index: number = 0, ground: string): string {
  if (index < 16) return `${ground}${index}`;
  if (index >= 232) return rgb([8 + (index - 232) * 10, 8 + (index - 232) * 10, 8 + (index - 232) * 10]);
  const level = (step: number) => step === 0 ? 0 : 55 + step * 40;
  const cube = index - 16;
  return rgb([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]);
}

function rgb([red = 0, green = 0, blue = 0]: readonly number[]): string {
  return `rgb(${[red, green, blue].map((part) => Math.min(255, part || 0)).join(" ")})`;
}
