/**
 * The lines that a search shows: matching lines with context, bounded in lines and chars. A line that is too long is
 * shown around its match, with counts of the bytes left out.
 */

import { Buffer, isUtf8 } from "node:buffer";
import {
  type ByteRange,
  hasLineFeed,
  lineFinder,
  type LineHit,
  locateIn,
  type Matches,
  needsCleaningIn,
  type OpenContent,
  readIn,
  readWhole,
  type Store,
  usedContent,
} from "../../../fd/mod.ts";
import { BLOCK_BYTES, cleanChunks, Cleaning, joinBytes, startOfUnfinished } from "../../../fd/system.ts";
import type { SearchRequest } from "../../calls/requests/search_request.ts";
import type { MatchLine } from "../../calls/terms/answers.ts";
import { matchingOf, type Search, type ShownMost } from "./search.ts";

/** Bytes shown of one line, unless the answer has less room. */
export const MAX_LINE_BYTES = 2000;

/** Bytes shown of one line in an answer of `chars` chars; never less than a char has. */
export function shownLineBytes(chars: number): number {
  return Math.max(4, Math.min(MAX_LINE_BYTES, chars));
}

/** The separator after a line's number, and the line end, count as chars too. */
const LINE_FRAME_CHARS = 2;

const LINE_FEED = 0x0a;

interface ViewLimits extends ShownMost {
  beforeLines: number;
  afterLines: number;
  /** Show lines as stored, not in clean view. */
  exact?: boolean | undefined;
}

/** The lines around each match that an answer shows, and the most of all. */
function limitsOf({ before, after, context = 0, exact }: SearchRequest, most: ShownMost): ViewLimits {
  return { beforeLines: before ?? context, afterLines: after ?? context, ...most, exact };
}

/** The number of hits that a view within limits needs: those that it can show, and the one after them. */
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

/**
 * Shows `hits` in order until a limit is reached, but always the first. `hits` should include the one after those
 * shown, so that context does not run into it unmarked.
 */
export function viewMatches({ store, entry, request, most }: Search, hits: readonly LineHit[]): MatchView {
  const limits = limitsOf(request, most);
  using content = usedContent(store, entry);
  const lines: MatchLine[] = [];
  let charsLeft = limits.chars;
  let shownHits = 0;
  let lastLine = 0;
  let cleaned = 0;
  let leftOut: MatchView["leftOut"];
  let lacksContext = false;
  for (const hit of hits.slice(0, limits.matches)) {
    const nextLine = hits[shownHits + 1]?.lineNumber ?? entry.lineCount + 1;
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

/** The lines to show of a search: in order or, with the line that leads on, by their shapes. */
export type LineView = MatchView & { first?: LineHit };

/** Shows what a search found, in order or, if that would leave lines out, by shapes. */
export function viewFoundLines(search: Search, found: Matches): LineView {
  const inOrder = viewMatches(search, found.hits);
  const hasOrder = inOrder.shownHits === found.total || search.request.max_count !== undefined;
  return (hasOrder ? undefined : viewKinds(search, found)) ?? inOrder;
}

/** With more shapes, none tells more than another. */
const MAX_KINDS = 32;

/**
 * Shows the lines of rare shapes, then the first lines of each common one. `first` is the line that leads on. Undefined if all
 * have one shape, or if there are more than {@link MAX_KINDS}.
 */
function viewKinds(
  search: Search,
  { shapes, shapeCount }: Matches,
): MatchView & { first: LineHit } | undefined {
  const linesOf = (isRare: boolean) =>
    shapes.filter(({ count, lines }) => count === lines.length === isRare).flatMap(({ lines }) => lines)
      .sort((one, other) => one.lineNumber - other.lineNumber);
  const [rare, common] = [linesOf(true), linesOf(false)];
  const first = rare[0] ?? common[0];
  if (shapes.length < 2 || shapeCount > MAX_KINDS || common.length === 0 || first === undefined) {
    return undefined;
  }
  const ofRare = viewMatches(search, rare);
  const charsLeft = search.most.chars - charCost(ofRare.lines);
  const hasRoom = ofRare.shownHits === rare.length && charsLeft > 0;
  const ofCommon = viewMatches(
    { ...search, most: { ...search.most, chars: charsLeft } },
    hasRoom ? common : [],
  );
  const known = new Set(ofRare.lines.map(({ line }) => line));
  const all = [...ofRare.lines, ...ofCommon.lines.filter(({ line }) => !known.has(line))];
  const lines = all.some(({ context }) => context) ? withMatchesMarked(all, search.request) : all;
  return {
    ...ofRare,
    lines,
    shownHits: lines.filter(({ context }) => context !== true).length,
    cleaned: ofRare.cleaned + ofCommon.cleaned,
    lacksContext: ofRare.lacksContext || ofCommon.lacksContext || lines.length < all.length,
    first,
  };
}

/** Lines of context may match, too. One that is cut is left out: whether it matches is not known. */
function withMatchesMarked(lines: readonly MatchLine[], request: SearchRequest): MatchLine[] {
  const finder = lineFinder(matchingOf(request));
  return lines.flatMap((line) => {
    const { context, ...hit } = line;
    if (context !== true) return [hit];
    if (hit.cut_before !== undefined || hit.cut_after !== undefined) return [];
    const text = Buffer.concat([hit.bytes ?? Buffer.from(hit.text), Buffer.of(LINE_FEED)]);
    return finder.next(text, 0, text.length) < 0 ? [line] : [hit];
  });
}

function charCost(lines: readonly MatchLine[]): number {
  return lines.reduce((sum, { line, text }) => sum + String(line).length + text.length + LINE_FRAME_CHARS, 0);
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
  limits: ViewLimits,
): ViewedLine[] {
  const lines: ViewedLine[] = [];
  let { fromByte } = first === hit.lineNumber ? hit : locateIn(content, { mode: "line", start: first });
  for (let line = first; line <= last; line++) {
    const isHit = line === hit.lineNumber;
    const toByte = isHit ? hit.toByte : endOfLine(content, line, fromByte);
    // The LF is not shown, and does not count as left out.
    const shown = { fromByte, toByte: toByte - (hasLineFeed(content.entry, toByte) ? 1 : 0) };
    lines.push({
      line,
      ...textOf(store, content, shown, isHit ? hit.hitByte : fromByte, limits),
      ...(isHit ? {} : { context: true }),
    });
    fromByte = toByte;
  }
  return lines;
}

/** The end of the line that starts at `fromByte`, mostly in the same block. */
function endOfLine(content: OpenContent, line: number, fromByte: number): number {
  const inBlock = fromByte % BLOCK_BYTES;
  const feed = content.block(Math.floor(fromByte / BLOCK_BYTES)).indexOf(LINE_FEED, inBlock);
  return feed < 0 ? locateIn(content, { mode: "line", start: line }).toByte : fromByte - inBlock + feed + 1;
}

type ShownText = Omit<ViewedLine, "line" | "context">;

/** The text of a line, without its LF, around `hitByte`, in clean view unless the stored text is asked for. */
function textOf(
  store: Store,
  content: OpenContent,
  line: ByteRange,
  hitByte: number,
  { exact: isExact, chars }: ViewLimits,
): ShownText {
  const most = shownLineBytes(chars);
  if (isExact === true || !needsCleaningIn(content, line.fromByte, line.toByte)) {
    const window = windowOf(line, hitByte, most);
    return shownText(readWhole(readIn(store, content, window)), line, window);
  }
  // The line is walked, not held: only what is around the hit.
  const cleaning = new Cleaning();
  const hitAt = hitByte - line.fromByte;
  const keptFrom = Math.max(0, hitAt - most);
  const kept: Uint8Array[] = [];
  let lineBytes = 0;
  for (const clean of cleanChunks(readIn(store, content, line).chunks(), cleaning)) {
    const from = Math.max(0, keptFrom - lineBytes);
    const to = Math.min(clean.length, hitAt + most - lineBytes);
    if (from < to) kept.push(clean.slice(from, to));
    lineBytes += clean.length;
  }
  const whole = { fromByte: 0, toByte: lineBytes };
  const window = windowOf(whole, Math.min(hitAt, lineBytes), most);
  const bytes = joinBytes(kept).subarray(window.fromByte - keptFrom, window.toByte - keptFrom);
  return { ...shownText(bytes, whole, window), cleaned: cleaning.leftOutChars };
}

/** The part of a line to show: all of it, or a window around `hitByte`. */
function windowOf({ fromByte, toByte }: ByteRange, hitByte: number, mostBytes: number): ByteRange {
  const from = Math.max(fromByte, Math.min(hitByte - Math.floor(mostBytes / 2), toByte - mostBytes));
  return { fromByte: from, toByte: Math.min(toByte, from + mostBytes) };
}

/** The text of `bytes`, the part `window` of `line` (without its LF), and how much of the line is left out. */
function shownText(bytes: Uint8Array, line: ByteRange, window: ByteRange): ShownText {
  // A window may begin or end inside a char, which is then left out.
  let from = 0;
  if (window.fromByte > line.fromByte) { while (from < 3 && (bytes[from]! & 0xc0) === 0x80) from++; }
  const to = window.toByte < line.toByte ? startOfUnfinished(bytes) : bytes.length;
  const cutBefore = window.fromByte - line.fromByte + from;
  const cutAfter = line.toByte - window.toByte + bytes.length - to;
  const shown = Buffer.from(bytes.subarray(from, to));
  return {
    text: shown.toString("utf8"),
    ...(isUtf8(shown) ? {} : { bytes: Uint8Array.from(shown) }),
    cut_before: cutBefore || undefined,
    cut_after: cutAfter || undefined,
  };
}
