/**
 * Finds the matches within a line that a search returned, with their places in the content and some of the line around
 * each.
 */

import { Buffer } from "node:buffer";
import { cleanChunks } from "../clean/clean_text.ts";
import { byteOfChar, charsBeforeByte, hasLineFeed } from "../slices/locate_text.ts";
import { needsCleaningIn } from "../slices/needs_cleaning_in.ts";
import type { OpenContent } from "../slices/open_content.ts";
import { readIn } from "../slices/read_slice.ts";
import type { Store } from "../store/open_store.ts";
import {
  charStart,
  KEPT_BYTES,
  type LineSpan,
  type LineSpanFinder,
  lineSpanFinder,
  OVERLAP_BYTES,
} from "./line_spans.ts";
import type { CopySpans, LineHit, MatchRequest, TextCounter } from "./match_lines.ts";
import type { FoundLine } from "./line_shapes.ts";

/** How much of a match and of the line around it is returned, in bytes. */
interface SpanBounds {
  matchBytes: number;
  /** Before the match, and after it; at most {@link KEPT_BYTES}. */
  contextBytes: number;
}

/** A match within a line. */
export type HitSpan = ReturnType<typeof spanAt>;

/**
 * Yields the matches of `hit` in order; `isClean`: those in clean view. Throws `store_corrupt`, and `invalid_parameter` for
 * a pattern that takes too long.
 */
export function* spansOfHit(
  store: Store,
  content: OpenContent,
  hit: LineHit,
  finder: LineSpanFinder,
  isClean: boolean,
  bounds: SpanBounds,
): Generator<HitSpan, void> {
  const line = {
    fromByte: hit.fromByte,
    toByte: hit.toByte - (hasLineFeed(content.entry, hit.toByte) ? 1 : 0),
  };
  const isShifted = isClean && needsCleaningIn(content, line.fromByte, line.toByte);
  const lineChar = charsBeforeByte(content, line.fromByte);
  // The match was certain at `hitChar`: it begins no earlier than the longest match before that.
  const startChar = isShifted ? lineChar : Math.max(lineChar, hit.hitChar - OVERLAP_BYTES);
  const isWhole = startChar === lineChar;
  const fromByte = isWhole ? line.fromByte : byteOfChar(content, startChar);
  const stored = readIn(store, content, { fromByte, toByte: line.toByte }).chunks();
  for (const span of finder.inPieces(isShifted ? cleanChunks(stored) : stored, isWhole)) {
    yield spanAt(span, startChar, isShifted, bounds);
  }
}

function spanAt(span: LineSpan, lineChar: number, isShifted: boolean, bounds: SpanBounds) {
  const { bytes, from, to, fromChar, hasStart, hasEnd } = span;
  const contextBytes = Math.min(bounds.contextBytes, KEPT_BYTES);
  const shownTo = charStart(bytes, Math.min(to, from + bounds.matchBytes));
  const beforeFrom = charStart(bytes, Math.max(0, from - contextBytes));
  const afterTo = charStart(bytes, Math.min(bytes.length, to + contextBytes));
  return {
    /**
     * Char offset in the content. In a line that differs in clean view, that of the line plus the place in the clean line:
     * then `isShifted`.
     */
    startChar: lineChar + fromChar,
    isShifted,
    /** The match, or its beginning. */
    match: bytes.subarray(from, shownTo),
    /** Whether a part of the match beyond what is searched at once may be missing. */
    isPart: span.isPart,
    /** Bytes of the match beyond `match`. */
    leftOutBytes: to - shownTo,
    /** The line around the match, and whether it goes on beyond that. */
    before: bytes.subarray(beforeFrom, from),
    after: bytes.subarray(to, afterTo),
    hasMoreBefore: beforeFrom > 0 || !hasStart,
    hasMoreAfter: afterTo < bytes.length || !hasEnd,
  };
}

const LINE_FEED = 0x0a;

/** Passes on the matches within lines that a search stores in place of the lines. */
export function spanCopier(store: Store, request: MatchRequest): CopySpans {
  const finder = lineSpanFinder(request);
  return (content, line, text, add) => {
    let count = 0;
    if (text !== undefined) {
      const { bytes, from, to } = text;
      const end = bytes[to - 1] === LINE_FEED ? to - 1 : to;
      for (const span of finder.inLine(bytes.subarray(from, end))) {
        add(span.bytes.subarray(span.from, span.to));
        count++;
      }
      return count;
    }
    // A line that was too long to buffer is read again.
    const hitChar = charsBeforeByte(content, Math.min(line.hitByte, line.toByte));
    const bounds = { matchBytes: Infinity, contextBytes: 0 };
    const hit = { ...line, lineNumber: 0, hitChar };
    for (const { match } of spansOfHit(store, content, hit, finder, request.clean === true, bounds)) {
      add(match);
      count++;
    }
    return count;
  };
}

/** Lines in which equal matches are counted, different ones of them, and the bytes of the longest. */
const MAX_COUNTED_LINES = 10_000;
const MAX_TEXTS = 2000;
const MAX_TEXT_BYTES = 256;
/** Returned of many different ones: as many of the commonest and of the rarest. */
const MAX_TOLD = 25;

/** Counts equal matches, in the first lines. */
export function textCounter(store: Store, request: MatchRequest): TextCounter {
  const copySpans = spanCopier(store, request);
  const texts = new Map<string, { count: number; line: FoundLine }>();
  let lineCount = 0;
  let matchCount = 0;
  let isLost = false;
  return {
    add(content, line, text) {
      lineCount++;
      matchCount += copySpans(content, line, text, (match) => {
        const key = Buffer.from(match.buffer, match.byteOffset, match.byteLength).toString("latin1");
        const known = texts.get(key);
        if (known !== undefined) known.count++;
        else texts.set(key, { count: 1, line });
        isLost ||= texts.size > MAX_TEXTS || match.length > MAX_TEXT_BYTES;
      });
    },
    isFull: () => isLost || lineCount >= MAX_COUNTED_LINES,
    end(hitOf) {
      if (isLost) return undefined;
      const sorted = [...texts].sort(([, one], [, other]) => other.count - one.count);
      const told = sorted.filter((_, at) => at < MAX_TOLD || at >= sorted.length - MAX_TOLD);
      return {
        texts: told.map(([key, { count, line }]) => ({
          text: Buffer.from(key, "latin1").toString("utf8"),
          count,
          hit: hitOf(line),
        })),
        textCount: sorted.length,
        lineCount,
        matchCount,
      };
    },
  };
}
