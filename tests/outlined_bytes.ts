/** Content in memory, as outlines take it. */

import type { OutlinedContent } from "../src/findings/outline/outlined_content.ts";

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Content that comes in pieces of `pieceBytes`. */
export function contentOf(bytes: Uint8Array, pieceBytes = 32_768): OutlinedContent {
  const lineFeeds = (to: number) => bytes.subarray(0, to).filter((byte) => byte === 0x0a).length;
  return {
    byteCount: bytes.length,
    lineCount: lineFeeds(bytes.length) + (bytes.at(-1) === 0x0a ? 0 : 1),
    *pieces(from, to) {
      const end = Math.min(to, bytes.length);
      for (let at = from; at < end; at += pieceBytes) {
        yield bytes.subarray(at, Math.min(end, at + pieceBytes));
      }
    },
    read: (from, to) => bytes.slice(from, to),
    lineAt: (offset) => lineFeeds(offset) + 1,
    charAt: (offset) => bytes.subarray(0, offset).filter((byte) => (byte & 0xc0) !== 0x80).length,
  };
}
