import { nodeBuffer } from "../../fd/system.ts";
import type { Body, FdContent } from "../terms/answers.ts";
import { bufferSmall } from "./body_text.ts";

/**
 * Puts each line's number before it, right-aligned and followed by a tab, from `firstLineNumber`; `lastLineNumber` sets
 * the width. If the body begins inside a line, that part is numbered too.
 */
export function numberedLines(body: Body, firstLineNumber: number, lastLineNumber: number): Body {
  const width = String(lastLineNumber).length;
  function* chunks(): Iterable<Uint8Array> {
    let lineNumber = firstLineNumber;
    let atLineStart = true;
    const { Buffer } = nodeBuffer();
    for (const chunk of body.chunks()) {
      if (chunk.length === 0) continue;
      // latin1 has one char a byte in both directions, so string functions change no byte.
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

/** The body of an `fd_content`, buffered if small, with line numbers if requested. */
export function numberedBody({ content, numbered_from: first, lines }: FdContent): Body {
  const body = bufferSmall(content);
  return first === undefined ? body : numberedLines(body, first, Number(lines.slice(lines.indexOf("-") + 1)));
}
