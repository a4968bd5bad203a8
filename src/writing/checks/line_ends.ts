/**
 * Line ends as `rewrite` and `count` define them (contract, Writing files): CRLF, lone CR and LF each end one line,
 * and a final line end does not start another. Everywhere else only LF ends a line (contract, Units).
 */

import { countLineFeeds } from "../../../fd/mod.ts";

const LF = 0x0a;
const CR = 0x0d;

/** The number of line ends of each kind, and whether the last line lacks one. */
export interface LineEndTally {
  lfCount: number;
  crlfCount: number;
  crCount: number;
  /** Whether there are bytes after the last line end. */
  openEnd: boolean;
}

/** The kind of line ends of a file: `none` without any, `mixed` with several kinds. */
export type LineEndStyle = "lf" | "crlf" | "cr" | "mixed" | "none";

/**
 * Counts line ends of chunks that may be split anywhere.
 *
 * ```ts
 * import { normalisedLineCount, tallyLineEnds } from "./line_ends.ts";
 * const tally = tallyLineEnds([new TextEncoder().encode("a\r\nb\rc\nd")]);
 * if (normalisedLineCount(tally) !== 4) throw new Error();
 * ```
 */
export function tallyLineEnds(chunks: Iterable<Uint8Array>): LineEndTally {
  const counter = lineEndCounter();
  for (const chunk of chunks) counter.add(chunk);
  return counter.tally();
}

/** Counts line ends of chunks as they arrive. */
export function lineEndCounter(): { add(chunk: Uint8Array): void; tally(): LineEndTally } {
  let lineFeedCount = 0;
  let carriageReturnCount = 0;
  let crlfCount = 0;
  let last = LF;
  return {
    add(chunk) {
      if (chunk.length === 0) return;
      lineFeedCount += countLineFeeds(chunk);
      if (last === CR && chunk[0] === LF) crlfCount++;
      for (let at = chunk.indexOf(CR); at !== -1; at = chunk.indexOf(CR, at + 1)) {
        carriageReturnCount++;
        if (chunk[at + 1] === LF) crlfCount++;
      }
      last = chunk.at(-1)!;
    },
    tally: () => ({
      lfCount: lineFeedCount - crlfCount,
      crlfCount,
      crCount: carriageReturnCount - crlfCount,
      openEnd: last !== LF && last !== CR,
    }),
  };
}

/** The number of lines that `rewrite` expects. */
export function normalisedLineCount(tally: LineEndTally): number {
  return tally.lfCount + tally.crlfCount + tally.crCount + (tally.openEnd ? 1 : 0);
}

/** The only kind of line end in the tally, `mixed`, or `none`. */
export function lineEndStyle(tally: LineEndTally): LineEndStyle {
  const kinds: LineEndStyle[] = [];
  if (tally.lfCount > 0) kinds.push("lf");
  if (tally.crlfCount > 0) kinds.push("crlf");
  if (tally.crCount > 0) kinds.push("cr");
  return kinds.length > 1 ? "mixed" : kinds[0] ?? "none";
}

/** Converts every LF and CRLF. A lone CR stays: in today's text it is content, not a line end. */
export function convertLineEnds(bytes: Uint8Array, wanted: "lf" | "crlf"): Uint8Array {
  const lineFeedCount = countLineFeeds(bytes);
  const converted = new Uint8Array(bytes.length + (wanted === "crlf" ? lineFeedCount : 0));
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === CR && bytes[at + 1] === LF) continue;
    if (byte === LF && wanted === "crlf") converted[length++] = CR;
    converted[length++] = byte;
  }
  return converted.subarray(0, length);
}
