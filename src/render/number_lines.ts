/**
 * Puts each line's number before it: right-aligned, then a tab.
 *
 * @module
 */

import { nodeBuffer } from "../../fd/mod.ts";
import type { Body, FdContent } from "../terms/answers.ts";
import { keepSmall } from "./body_text.ts";

/**
 * The body with numbers from `firstLineNumber`; `lastLineNumber` sets the width. A line that the body does not begin
 * with its start is numbered all the same, with the number of the line it belongs to.
 */
export function numberedLines(body: Body, firstLineNumber: number, lastLineNumber: number): Body {
  const width = String(lastLineNumber).length;
  function* chunks(): Iterable<Uint8Array> {
    let lineNumber = firstLineNumber;
    let atLineStart = true;
    const { Buffer } = nodeBuffer();
    for (const chunk of body.chunks()) {
      if (chunk.length === 0) continue;
      // One char a byte in both directions, so that strings do the work and no byte changes.
      const lines = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1").split(
        "\n",
      );
      const last = lines.pop()!;
      let numbered = "";
      for (const line of lines) {
        numbered += atLineStart ? `${String(lineNumber++).padStart(width)}\t${line}\n` : `${line}\n`;
        atLineStart = true;
      }
      if (last !== "") {
        numbered += atLineStart ? `${String(lineNumber++).padStart(width)}\t${last}` : last;
        atLineStart = false;
      }
      yield Buffer.from(numbered, "latin1");
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
