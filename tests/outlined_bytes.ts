/** Content in memory, as outlines and digests take it. */

import { BLOCK_BYTES, countLineFeeds } from "../fd/system.ts";
import type { BlockContent, OutlinedContent } from "../src/findings/outline/outlined_content.ts";

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Content that comes in pieces of `pieceBytes`. */
export function contentOf(bytes: Uint8Array, pieceBytes = 32_768): OutlinedContent {
  const lineFeeds = (to: number) => countLineFeeds(bytes.subarray(0, to));
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

/** Content in blocks, as digests take it. */
export function blocksOf(content: Uint8Array | string): BlockContent {
  const bytes = typeof content === "string" ? bytesOf(content) : content;
  const { byteCount, lineCount, lineAt, charAt } = contentOf(bytes);
  const lineFeeds = [0];
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const count = countLineFeeds(bytes.subarray(at, at + BLOCK_BYTES));
    lineFeeds.push(lineFeeds.at(-1)! + count);
  }
  return {
    byteCount,
    lineCount: byteCount === 0 ? 0 : lineCount,
    lineAt,
    charAt,
    blockCount: Math.ceil(byteCount / BLOCK_BYTES),
    block: (block) => bytes.subarray(block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES),
    lineFeedsBefore: (block) => lineFeeds[block]!,
    mayHaveControls: () => true,
  };
}
