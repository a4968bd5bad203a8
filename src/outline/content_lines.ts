/** The lines of content, one after another, in bounded memory. */

import { nodeBuffer } from "../../fd/mod.ts";
import type { OutlinedContent } from "./outlined_content.ts";

/** Content after this many bytes is not looked at. */
export const OUTLINED_BYTES = 64 * 2 ** 20;
/** A longer line is given by its start. */
const MAX_LINE_BYTES = 65_536;

export interface ContentLine {
  /** One char a byte, without the line end. */
  text: string;
  /** From 1. */
  number: number;
  byteOffset: number;
}

/** The lines of the first {@link OUTLINED_BYTES}. */
export function* contentLines(content: OutlinedContent): Iterable<ContentLine> {
  const { Buffer } = nodeBuffer();
  let rest = "";
  let number = 1;
  let byteOffset = 0;
  let restBytes = 0;
  for (const bytes of content.pieces(0, OUTLINED_BYTES)) {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    let from = 0;
    for (let to = piece.indexOf("\n"); to >= 0; to = piece.indexOf("\n", from)) {
      const own = piece.slice(from, to);
      yield { text: withoutReturn(rest + own), number, byteOffset };
      byteOffset += restBytes + own.length + 1;
      number++;
      rest = "";
      restBytes = 0;
      from = to + 1;
    }
    restBytes += piece.length - from;
    if (rest.length < MAX_LINE_BYTES) rest += piece.slice(from);
  }
  if (restBytes > 0) yield { text: withoutReturn(rest), number, byteOffset };
}

function withoutReturn(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

/** Text of which each char is a byte, as UTF-8. */
export function utf8Of(text: string): string {
  return nodeBuffer().Buffer.from(text, "latin1").toString("utf8");
}
