/**
 * Line ends as `rewrite` and `count` define them (contract, Writing files): CRLF, lone CR and LF each end one line,
 * and a final line end does not start another. Everywhere else only LF ends a line (contract, Units).
 */

import { countLineFeeds } from "../../../fd/system.ts";

const LF = 0x0a;
const CR = 0x0d;

/** The number of line ends of each kind in the chunks so far, which may be split anywhere. */
export class LineEndTally {
  lfCount = 0;
  crlfCount = 0;
  crCount = 0;
  private lastByte = LF;

  /** Counts the next chunk. */
  add(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    let crlfCount = this.lastByte === CR && chunk[0] === LF ? 1 : 0;
    this.crCount -= crlfCount;
    for (let at = chunk.indexOf(CR); at !== -1; at = chunk.indexOf(CR, at + 1)) {
      if (chunk[at + 1] === LF) crlfCount++;
      else this.crCount++;
    }
    this.crlfCount += crlfCount;
    this.lfCount += countLineFeeds(chunk) - crlfCount;
    this.lastByte = chunk.at(-1)!;
  }

  /** The number of lines that `rewrite` expects: bytes after the last line end are one more. */
  get lineCount(): number {
    const isOpen = this.lastByte !== LF && this.lastByte !== CR;
    return this.lfCount + this.crlfCount + this.crCount + (isOpen ? 1 : 0);
  }

  /** The only kind of line ends, `mixed`, or `none`. */
  get style(): LineEndStyle {
    const kinds: LineEndStyle[] = [];
    if (this.lfCount > 0) kinds.push("lf");
    if (this.crlfCount > 0) kinds.push("crlf");
    if (this.crCount > 0) kinds.push("cr");
    return kinds.length > 1 ? "mixed" : kinds[0] ?? "none";
  }
}

/** The kind of line ends of a file: `none` without any, `mixed` with several kinds. */
export type LineEndStyle = "lf" | "crlf" | "cr" | "mixed" | "none";

/**
 * Counts the line ends of a content.
 *
 * ```ts
 * import { tallyLineEnds } from "./line_ends.ts";
 * const tally = tallyLineEnds([new TextEncoder().encode("a\r\nb\rc\nd")]);
 * if (tally.lineCount !== 4 || tally.style !== "mixed") throw new Error();
 * ```
 */
export function tallyLineEnds(chunks: Iterable<Uint8Array>): LineEndTally {
  const tally = new LineEndTally();
  for (const chunk of chunks) tally.add(chunk);
  return tally;
}

/** The line ends of new text: as they are, or converted. */
export type Eol = "keep" | "lf" | "crlf";

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
