/**
 * The lines that a search shows: matching lines with context, bounded in lines and chars. A line that is too long is
 * shown around its match, with counts of the bytes left out.
 */

import { Buffer, isUtf8 } from "node:buffer";
import {
  type FdEntry,
  type LineHit,
  locateIn,
  type Matches,
  needsCleaningIn,
  type OpenContent,
  openContent,
  readIn,
  type Store,
} from "../../fd/mod.ts";
import { needsCleaning, startCleaning } from "../../fd/system.ts";
import type { MatchLine } from "../terms/answers.ts";

/** Bytes shown of one line, unless the answer has less room. */
export const MAX_LINE_BYTES = 2000;

/** Bytes shown of one line in an answer of `chars` chars; never less than a char has. */
export function shownLineBytes(chars: number): number {
  return Math.max(4, Math.min(MAX_LINE_BYTES, chars));
}

/** The separator after a line's number, and the line end, count as chars too. */
const LINE_FRAME_CHARS = 2;

/** A match and its context are read at once up to this size. */
const MAX_BUFFERED_BYTES = 262_144;
const LINE_FEED = 0x0a;

/** The most that an answer shows. */
export interface ShownMost {
  matches: number;
  chars: number;
}

export interface ViewLimits extends ShownMost {
  beforeLines: number;
  afterLines: number;
  /** Show lines as stored, not in clean view. */
  exact?: boolean | undefined;
}

/** The number of hits that a view within `limits` needs: those that it can show, and the one after them. */
export function mostHitsViewed({ matches, chars }: ShownMost): number {
  // A number has at least one digit, and the first hit is always shown.
  return Math.min(matches, 1 + Math.floor(chars / (1 + LINE_FRAME_CHARS))) + 1;
}

/** The lines to show, and the number of hits among them. */
export interface MatchView {
  lines: MatchLine[];
  shownHits: number;
  /** Chars that the clean view left out of the lines. */
  cleaned: number;
  /** The omitted part of the lines: the first match in a line that is cut, or lines of context. */
  leftOut: LineHit | { start: number; count: number } | undefined;
  /** Whether lines of context are left out. */
  lacksContext: boolean;
}

/** A line to show, and how many chars the clean view left out of it. */
type ViewedLine = MatchLine & { cleaned?: number | undefined };

/** Bytes of the content: lines, or the shown part of one. */
interface ByteRange {
  fromByte: number;
  toByte: number;
}

/**
 * Shows `hits` in order until a limit is reached, but always the first. `hits` should include the one after those
 * shown, so that context does not run into it unmarked.
 */
export function viewMatches(
  store: Store,
  entry: FdEntry,
  hits: readonly LineHit[],
  limits: ViewLimits,
): MatchView {
  const content = openContent(store, entry);
  try {
    return viewIn(store, content, hits, limits);
  } finally {
    content.close();
  }
}

/** With more shapes, none tells more than another. */
const MAX_KINDS = 32;

/**
 * Shows the lines of rare shapes, then the first lines of each common one. `first` is the line that leads on. Undefined if all
 * have one shape, or if there are more than {@link MAX_KINDS}.
 */
export function viewKinds(
  store: Store,
  entry: FdEntry,
  { shapes, shapeCount }: Matches,
  limits: ViewLimits,
): MatchView & { first: LineHit } | undefined {
  const linesOf = (isRare: boolean) =>
    shapes.filter(({ count, lines }) => count === lines.length === isRare).flatMap(({ lines }) => lines)
      .sort((one, other) => one.lineNumber - other.lineNumber);
  const [rare, common] = [linesOf(true), linesOf(false)];
  const first = rare[0] ?? common[0];
  if (shapes.length < 2 || shapeCount > MAX_KINDS || common.length === 0 || first === undefined) {
    return undefined;
  }
  const ofRare = viewMatches(store, entry, rare, limits);
  const charsLeft = limits.chars - charCost(ofRare.lines);
  const hasRoom = ofRare.shownHits === rare.length && charsLeft > 0;
  const ofCommon = viewMatches(store, entry, hasRoom ? common : [], { ...limits, chars: charsLeft });
  const known = new Set(ofRare.lines.map(({ line }) => line));
  return {
    ...ofRare,
    lines: [...ofRare.lines, ...ofCommon.lines.filter(({ line }) => !known.has(line))],
    shownHits: ofRare.shownHits + ofCommon.shownHits,
    cleaned: ofRare.cleaned + ofCommon.cleaned,
    lacksContext: ofRare.lacksContext || ofCommon.lacksContext,
    first,
  };
}

function viewIn(
  store: Store,
  content: OpenContent,
  hits: readonly LineHit[],
  limits: ViewLimits,
): MatchView {
  const lines: MatchLine[] = [];
  let charsLeft = limits.chars;
  let shownHits = 0;
  let lastLine = 0;
  let cleaned = 0;
  let leftOut: MatchView["leftOut"];
  let lacksContext = false;
  for (const hit of hits.slice(0, limits.matches)) {
    const nextLine = hits[shownHits + 1]?.lineNumber ?? content.entry.lineCount + 1;
    const first = Math.max(lastLine + 1, hit.lineNumber - limits.beforeLines);
    const last = Math.min(nextLine - 1, hit.lineNumber + limits.afterLines);
    let around = linesAround(store, content, hit, first, last, limits);
    if (shownHits === 0) {
      around = nearest(around, hit.lineNumber, charsLeft);
      lacksContext = around.length <= last - first;
      if (around[0]!.line > first) leftOut = { start: first, count: around[0]!.line - first };
      else if (lacksContext) {
        const start = around.at(-1)!.line + 1;
        leftOut = { start, count: last - start + 1 };
      }
    }
    const chars = charCost(around);
    if (shownHits > 0 && chars > charsLeft) break;
    for (const { cleaned: leftOutChars = 0, ...line } of around) {
      cleaned += leftOutChars;
      lines.push(line);
      if (line.cut_before === undefined && line.cut_after === undefined) continue;
      leftOut ??= line.line === hit.lineNumber ? hit : { start: line.line, count: 1 };
    }
    charsLeft -= chars;
    shownHits++;
    lastLine = around.at(-1)!.line;
  }
  return { lines, shownHits, cleaned, leftOut, lacksContext };
}

function charCost(lines: readonly MatchLine[]): number {
  return lines.reduce(
    (sum, { line, text }) => sum + String(line).length + text.length + LINE_FRAME_CHARS,
    0,
  );
}

/** The lines nearest to line `lineNumber` that fit into `chars`; that line is always among them. */
function nearest(lines: readonly ViewedLine[], lineNumber: number, chars: number): ViewedLine[] {
  const kept = [...lines];
  while (kept.length > 1 && charCost(kept) > chars) {
    const farAbove = lineNumber - kept[0]!.line;
    const farBelow = kept.at(-1)!.line - lineNumber;
    if (farAbove > farBelow) kept.shift();
    else kept.pop();
  }
  return kept;
}

/** Lines `first` to `last`, of which `hit` is one. */
function linesAround(
  store: Store,
  content: OpenContent,
  hit: LineHit,
  first: number,
  last: number,
  { exact: isExact, chars }: ViewLimits,
): ViewedLine[] {
  const lineBytes = shownLineBytes(chars);
  const { entry } = content;
  const all = first === last
    ? hit
    : locateIn(content, { mode: "line", start: first, count: last - first + 1 });
  const buffer = all.toByte - all.fromByte <= MAX_BUFFERED_BYTES ? bytesOf(store, content, all) : undefined;
  const lines: ViewedLine[] = [];
  let fromByte = all.fromByte;
  for (let line = first; line <= last; line++) {
    // Lines too long to buffer together are located and read one by one, each only as far as it is shown.
    const lineFeed = buffer?.indexOf(LINE_FEED, fromByte - all.fromByte) ?? -1;
    const toByte = buffer === undefined
      ? locateIn(content, { mode: "line", start: line }).toByte
      : lineFeed < 0
      ? all.toByte
      : all.fromByte + lineFeed + 1;
    const isHit = line === hit.lineNumber;
    // The LF is not shown, and does not count as left out.
    const shown = { fromByte, toByte: toByte - (endsWithFeed(entry, toByte) ? 1 : 0) };
    const hitByte = isHit ? hit.hitByte : fromByte;
    const buffered = buffer?.subarray(fromByte - all.fromByte, shown.toByte - all.fromByte);
    const isStored = isExact === true ||
      !(buffered === undefined
        ? needsCleaningIn(content, shown.fromByte, shown.toByte)
        : needsCleaning(buffered));
    lines.push({
      line,
      ...(isStored ? storedText(store, content, buffered, { ...shown, hitByte }, lineBytes) : cleanText(
        buffered === undefined ? readIn(store, content, shown).chunks() : [buffered],
        hitByte - fromByte,
        lineBytes,
      )),
      ...(isHit ? {} : { context: true }),
    });
    fromByte = toByte;
  }
  return lines;
}

type ShownText = Omit<ViewedLine, "line" | "context">;

/** The text of a line, which may be buffered, around `hitByte`. */
function storedText(
  store: Store,
  content: OpenContent,
  buffered: Buffer | undefined,
  shown: ByteRange & { hitByte: number },
  lineBytes: number,
): ShownText {
  const window = windowOf(shown, lineBytes);
  const bytes = buffered?.subarray(window.fromByte - shown.fromByte, window.toByte - shown.fromByte) ??
    bytesOf(store, content, window);
  return shownText(bytes, shown, window);
}

/** The text of a line in clean view, around byte `hitByte` of that. */
function cleanText(chunks: Iterable<Uint8Array>, hitByte: number, mostBytes: number): ShownText {
  const { bytes, fromByte, lineBytes, leftOutChars } = cleanWindow(chunks, hitByte, mostBytes);
  const line = { fromByte: 0, toByte: lineBytes };
  const window = windowOf({ ...line, hitByte: Math.min(hitByte, lineBytes) }, mostBytes);
  const shown = bytes.subarray(window.fromByte - fromByte, window.toByte - fromByte);
  return { ...shownText(shown, line, window), cleaned: leftOutChars };
}

/** Whether the line that ends at `toByte` has an LF: only the content's last line may lack it. */
function endsWithFeed({ byteCount, lineCount, lineFeedCount }: FdEntry, toByte: number): boolean {
  return toByte < byteCount || lineFeedCount === lineCount;
}

/** The part of a line to show: all of it, or a window around `hitByte`. */
function windowOf(
  { fromByte, toByte, hitByte }: ByteRange & { hitByte: number },
  lineBytes: number,
): ByteRange {
  const from = Math.max(fromByte, Math.min(hitByte - Math.floor(lineBytes / 2), toByte - lineBytes));
  return { fromByte: from, toByte: Math.min(toByte, from + lineBytes) };
}

function bytesOf(store: Store, content: OpenContent, range: ByteRange): Buffer {
  const chunks: Uint8Array[] = [];
  for (const chunk of readIn(store, content, range).chunks()) chunks.push(chunk.slice());
  return Buffer.concat(chunks);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** The text of `bytes`, the part `window` of `line` (without its LF), and how much of the line is left out. */
function shownText(bytes: Buffer, line: ByteRange, window: ByteRange): ShownText {
  let from = 0;
  let to = bytes.length;
  // A window may begin or end inside a char, which is then left out.
  if (window.fromByte > line.fromByte) { while (from < 3 && isContinuation(bytes[from])) from++; }
  if (window.toByte < line.toByte) {
    while (to > bytes.length - 3 && isContinuation(bytes[to - 1])) to--;
    if (to > from && bytes[to - 1]! >= 0xc0) to--;
  }
  const cutBefore = window.fromByte - line.fromByte + from;
  const cutAfter = window.toByte < line.toByte ? line.toByte - window.toByte + bytes.length - to : 0;
  const shown = bytes.subarray(from, to);
  return {
    text: shown.toString("utf8"),
    ...(isUtf8(shown) ? {} : { bytes: Uint8Array.from(shown) }),
    cut_before: cutBefore === 0 ? undefined : cutBefore,
    cut_after: cutAfter === 0 ? undefined : cutAfter,
  };
}

/** The clean line around a place. Offsets are in the clean line. */
interface CleanWindow {
  bytes: Buffer;
  fromByte: number;
  /** Length of the clean line. */
  lineBytes: number;
  /** Chars of the stored line that are left out. */
  leftOutChars: number;
}

/** Cleans a line without its LF, which is walked, not held. The window reaches `aroundBytes` to both sides of `hitByte`, as far as the line does. */
function cleanWindow(line: Iterable<Uint8Array>, hitByte: number, aroundBytes: number): CleanWindow {
  const cleaning = startCleaning();
  const wantedFrom = Math.max(0, hitByte - aroundBytes);
  const wantedTo = hitByte + aroundBytes;
  const kept: Uint8Array[] = [];
  let lineBytes = 0;

  function take(clean: Uint8Array): void {
    const from = Math.max(0, wantedFrom - lineBytes);
    const to = Math.min(clean.length, wantedTo - lineBytes);
    if (from < to) kept.push(clean.slice(from, to));
    lineBytes += clean.length;
  }

  for (const chunk of line) take(cleaning.clean(chunk));
  take(cleaning.end());
  return { bytes: Buffer.concat(kept), fromByte: wantedFrom, lineBytes, leftOutChars: cleaning.leftOutChars };
}
