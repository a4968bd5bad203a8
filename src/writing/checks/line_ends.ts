/**
 * Line ends as `rewrite` and `count` define them (contract, Writing files): CRLF, lone CR and LF each end one line,
 * and a final line end does not start another. Everywhere else only LF ends a line (contract, Units).
 */

import { countLineFeeds } from "../../../fd/system.ts";

const LF = 0x0a;
const CR = 0x0d;
const SAMPLE_BYTES = 8000;

/** The number of line ends of each kind in the chunks so far, which may be split anywhere. */
export interface LineEndTally {
  lfCount: number;
  crlfCount: number;
  crCount: number;
  lastByte: number;
  /** Whether there is a NUL, as in no text: its bytes are left alone. */
  isBinary: boolean;
}

/** The kind of line ends of a file: `none` without any, `mixed` with several kinds. */
export type LineEndStyle = "lf" | "crlf" | "cr" | "mixed" | "none";

/**
 * Counts the line ends of a content, or of its next chunks, whose `tally` is then changed.
 *
 * ```ts
 * import { lineCountOf, styleOf, tallyLineEnds } from "./line_ends.ts";
 * const tally = tallyLineEnds([new TextEncoder().encode("a\r\nb\rc\nd")]);
 * if (lineCountOf(tally) !== 4 || styleOf(tally) !== "mixed") throw new Error();
 * ```
 */
export function tallyLineEnds(
  chunks: Iterable<Uint8Array>,
  tally: LineEndTally = { lfCount: 0, crlfCount: 0, crCount: 0, lastByte: LF, isBinary: false },
): LineEndTally {
  for (const piece of chunks) {
    tally.isBinary ||= piece.subarray(0, SAMPLE_BYTES).includes(0);
    // In UTF-16, a NUL is between CR and LF.
    const chunk = tally.isBinary ? piece.filter((byte) => byte !== 0) : piece;
    if (chunk.length === 0) continue;
    let crlfCount = tally.lastByte === CR && chunk[0] === LF ? 1 : 0;
    tally.crCount -= crlfCount;
    for (let at = chunk.indexOf(CR); at !== -1; at = chunk.indexOf(CR, at + 1)) {
      if (chunk[at + 1] === LF) crlfCount++;
      else tally.crCount++;
    }
    tally.crlfCount += crlfCount;
    tally.lfCount += countLineFeeds(chunk) - crlfCount;
    tally.lastByte = chunk.at(-1)!;
  }
  return tally;
}

/** The number of lines that `rewrite` expects: bytes after the last line end are one more. */
export function lineCountOf({ lfCount, crlfCount, crCount, lastByte }: LineEndTally): number {
  return lfCount + crlfCount + crCount + (lastByte === LF || lastByte === CR ? 0 : 1);
}

/** The only kind of line ends, `mixed`, or `none`. */
export function styleOf({ lfCount, crlfCount, crCount }: LineEndTally): LineEndStyle {
  if (crlfCount === 0 && crCount === 0) return lfCount === 0 ? "none" : "lf";
  if (lfCount > 0 || crlfCount > 0 && crCount > 0) return "mixed";
  return crlfCount > 0 ? "crlf" : "cr";
}

/** The line ends of new text: as they are, or converted. */
export type Eol = "keep" | "lf" | "crlf";

/** The line ends for new text in a content: those of the text that it replaces or, if that has none, of most lines. */
export function fittingEol(content: LineEndTally, replaced: Uint8Array = new Uint8Array(0)): Eol {
  const its = styleOf(tallyLineEnds([replaced]));
  const { lfCount, crlfCount, crCount, isBinary } = content;
  if (isBinary || its === "mixed" || its === "cr") return "keep";
  if (its !== "none") return its;
  if (lfCount === crlfCount || crCount >= lfCount + crlfCount) return "keep";
  return crlfCount > lfCount ? "crlf" : "lf";
}

/** The line end that the last line of a content lacks before `added`; empty if they stay two lines without it. */
export function missingLineEnd(content: LineEndTally, added: Uint8Array): Uint8Array {
  const isApart = [content.lastByte, added[0] ?? LF].some((byte) => byte === LF || byte === CR);
  if (isApart || content.isBinary) return new Uint8Array(0);
  const eol = fittingEol(content);
  const isCrlf = eol === "keep" ? fittingEol(tallyLineEnds([added])) === "crlf" : eol === "crlf";
  return Uint8Array.from(isCrlf ? [CR, LF] : [LF]);
}

/** Converts every LF and CRLF. A lone CR stays: in today's text it is content, not a line end. */
export function convertLineEnds(bytes: Uint8Array, wanted: Eol): Uint8Array {
  if (wanted === "keep") return bytes;
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
