/**
 * Puts each line's number before it: right-aligned, then a tab.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Body, FdContent } from "../answers.ts";
import { keepSmall } from "./body_text.ts";

const LF = 0x0a;

/**
 * The body with numbers from `firstLineNumber`; `lastLineNumber` sets the width. A line that the body does not begin
 * with its start is numbered all the same, with the number of the line it belongs to.
 */
export function numberedLines(body: Body, firstLineNumber: number, lastLineNumber: number): Body {
  const width = String(lastLineNumber).length;
  function* chunks(): Iterable<Uint8Array> {
    let lineNumber = firstLineNumber;
    let atLineStart = true;
    for (const chunk of body.chunks()) {
      const pieces: Uint8Array[] = [];
      for (let from = 0; from < chunk.length;) {
        if (atLineStart) pieces.push(Buffer.from(`${String(lineNumber++).padStart(width)}\t`));
        const feed = chunk.indexOf(LF, from);
        const to = feed === -1 ? chunk.length : feed + 1;
        pieces.push(chunk.subarray(from, to));
        atLineStart = feed !== -1;
        from = to;
      }
      yield Buffer.concat(pieces);
    }
  }
  const lineCount = firstLineNumber === 0 ? 0 : lastLineNumber - firstLineNumber + 1;
  return { byteLength: body.byteLength + lineCount * (width + 1), chunks };
}

/** The body of an `fd_content`, read once where it is small, with line numbers where they were asked for. */
export function numberedBody({ content, numbered_from: first, lines }: FdContent): Body {
  const body = keepSmall(content);
  return first === undefined ? body : numberedLines(body, first, Number(lines.slice(lines.indexOf("-") + 1)));
}
