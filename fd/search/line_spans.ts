/**
 * Finds the matches within lines that are known to match. A line of any length comes in pieces and is walked in windows
 * that overlap, so memory does not grow with it: a match longer than the overlap may be found in parts.
 */

import { Buffer } from "node:buffer";
import { charEnd, codePointAt, countChars, leadIn } from "../bytes/utf8_chars.ts";
import { lineFinder, parsedPatterns, type PatternOptions } from "./line_finder.ts";
import { compileProgram } from "./pattern_program.ts";
import { SpanWalker } from "./walk_spans.ts";

const WINDOW_BYTES = 262_144;

/** Maximum length of a match in a line longer than a window; a longer one is found in parts. */
export const OVERLAP_BYTES = 65_536;

/** Bytes before a match that stay in the window. */
export const KEPT_BYTES = 512;

/** A match that is not empty. Its bytes are valid until the next one is asked for. */
export interface LineSpan {
  /** Chars between the start of the pieces and the match. */
  fromChar: number;
  /** Whether a part of the match may be missing at its start or end. */
  isPart: boolean;
  /** The match is `bytes[from, to)`; the bytes around it are the line's. */
  bytes: Buffer;
  from: number;
  to: number;
  /** Whether `bytes` begin and end where the line does. */
  hasStart: boolean;
  hasEnd: boolean;
}

/** Finds matches in lines, without their line feeds. */
export type LineSpanFinder = ReturnType<typeof lineSpanFinder>;

/** The part of a line in memory. */
interface Window {
  bytes: Buffer;
  count: number;
  hasStart: boolean;
  hasEnd: boolean;
}

/**
 * Throws `invalid_parameter` like `lineFinder`; so do its generators for a pattern that takes too long in a line, or, if it
 * `isForOneContent`, in all lines together.
 */
export function lineSpanFinder(options: PatternOptions, isForOneContent = false) {
  const finder = lineFinder(options);
  const automaton = finder.automaton();
  const program = compileProgram(parsedPatterns(options));
  let buffered: Buffer | undefined;
  const walker = new SpanWalker(program, [options.pattern].flat().join("\n"), options.word === true);

  /** Whether a match may begin at or after `at`. One that needs the char before it is not missed. */
  function mayMatch({ bytes, count, hasEnd }: Window, at: number): boolean {
    automaton.beginLine();
    const from = at === 0 ? 0 : at - lengthBefore(bytes, at);
    return automaton.feedLine(bytes, from, count) >= 0 || !hasEnd || automaton.endLine();
  }

  /** Yields the matches that begin in `[start, limit)`. Returns where to go on. */
  function* inWindow(
    window: Window,
    start: number,
    limit: number,
    charsBefore: number,
  ): Generator<LineSpan, number> {
    const { bytes, count, hasStart, hasEnd } = window;
    if (!isForOneContent) walker.beginContent();
    let at = start;
    let counted = 0;
    let fromChar = charsBefore;
    const isWhole = hasStart && hasEnd;
    // Lines are known to match.
    while (at < limit && (isWhole && at === 0 || mayMatch(window, at))) {
      const before = at === 0 ? undefined : codePointAt(bytes, at - lengthBefore(bytes, at), at);
      const span = walker.next({ bytes, from: at, to: count, before, endsLine: hasEnd });
      if (span === undefined || span.fromByte >= limit) break;
      const { fromByte: from, toByte: to } = span;
      if (from === to) {
        at = charEnd(bytes, to, count);
        continue;
      }
      fromChar += countChars(bytes.subarray(counted, from));
      counted = from;
      const isFirst = !hasStart && charsBefore === 0 && from === start;
      const isPart = isFirst || to === count && !hasEnd;
      yield { fromChar, isPart, bytes: bytes.subarray(0, count), from, to, hasStart, hasEnd };
      at = to;
    }
    return Math.max(at, limit);
  }

  /** Takes a line that matches. */
  function* inLine(line: Buffer): Generator<LineSpan, void> {
    const window = { bytes: line, count: line.length, hasStart: true, hasEnd: true };
    yield* inWindow(window, 0, line.length, 0);
  }

  /**
   * The line comes in pieces. Unless it `isWhole`, they begin at a later char, before any match that begins after it.
   */
  function* inPieces(pieces: Iterable<Uint8Array>, isWhole: boolean): Generator<LineSpan, void> {
    buffered ??= Buffer.allocUnsafe(WINDOW_BYTES);
    const bytes = buffered;
    const window: Window = { bytes, count: 0, hasStart: isWhole, hasEnd: false };
    let at = 0;
    let charsBefore = 0;
    for (const piece of pieces) {
      for (let taken = 0; taken < piece.length;) {
        const length = Math.min(piece.length - taken, WINDOW_BYTES - window.count);
        bytes.set(piece.subarray(taken, taken + length), window.count);
        window.count += length;
        taken += length;
        if (window.count < WINDOW_BYTES) continue;
        if (!isWhole && charsBefore === 0) at = charEnd(bytes, 0, window.count);
        at = yield* inWindow(window, at, charStart(bytes, WINDOW_BYTES - OVERLAP_BYTES), charsBefore);
        const keptFrom = charStart(bytes, Math.max(0, at - KEPT_BYTES));
        charsBefore += countChars(bytes.subarray(0, keptFrom));
        bytes.copyWithin(0, keptFrom, window.count);
        window.count -= keptFrom;
        window.hasStart &&= keptFrom === 0;
        at -= keptFrom;
      }
    }
    window.hasEnd = true;
    if (!isWhole && charsBefore === 0) at = charEnd(bytes, 0, window.count);
    yield* inWindow(window, at, window.count, charsBefore);
  }

  return { automaton, root: finder.root, inLine, inPieces };
}

/** The start of the first char at or after `at`. */
export function charStart(bytes: Buffer, at: number): number {
  return at + leadIn(bytes, at, 0);
}

/** Length of the char that ends at `at`, which is not the start. */
function lengthBefore(bytes: Buffer, at: number): number {
  for (let length = Math.min(4, at); length > 1; length--) {
    const lead = bytes[at - length]!;
    if (lead >= 0xc2 && charEnd(bytes, at - length, at) === at) return length;
  }
  return 1;
}
