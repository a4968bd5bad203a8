/** Whether the clean view of stored content differs from its bytes, as far as the block index tells. */

import { BLOCK_BYTES, blockAt } from "../bytes/block_sum.ts";
import { endsControl } from "../clean/find_controls.ts";
import type { Slice } from "./locate_slice.ts";
import type { OpenContent } from "./open_content.ts";

/** How far before a slice its first line is looked at: further than a sequence can reach. */
const CONTEXT_BYTES = 2 * 65_536;

const LINE_FEED = 0x0a;

/**
 * Whether bytes `[fromByte, toByte)` may have something to clean. False is certain; true says only that the blocks that
 * they are in have. Blocks of which that is not known are read.
 *
 * @throws {FdError} `store_corrupt` if a block that had to be read differs from what was stored.
 */
export function needsCleaningIn(content: OpenContent, fromByte: number, toByte: number): boolean {
  const { index } = content;
  for (let block = blockAt(fromByte); block * BLOCK_BYTES < toByte; block++) {
    const { hasControls } = index.at(block);
    if (hasControls ?? blockHasControls(content, block, fromByte, toByte)) return true;
  }
  return false;
}

/** Whether the clean view of a slice may differ from its bytes; {@link needsCleaningIn} says how far that is certain. */
export function sliceNeedsCleaning(
  content: OpenContent,
  { fromByte, toByte, continued }: Pick<Slice, "fromByte" | "toByte" | "continued">,
): boolean {
  const before = continued ? CONTEXT_BYTES : 0;
  return needsCleaningIn(content, fromByte > before ? fromByte - before : 0, toByte);
}

function blockHasControls(content: OpenContent, block: number, fromByte: number, toByte: number): boolean {
  const start = block * BLOCK_BYTES;
  const bytes = content.block(block);
  const from = fromByte > start ? fromByte - start : 0;
  // A control of two bytes may begin in the block before.
  const last = from === 0 && block > 0 ? content.block(block - 1).at(-1) : undefined;
  return last === 0xc2 && (bytes[0]! & 0xe0) === 0x80 || endsControl(bytes, from, toByte - start);
}

/** Returns the start of the line that `byte` is in, or of what is looked at of it. */
export function contextStart(content: OpenContent, byte: number): number {
  const least = Math.max(0, byte - CONTEXT_BYTES);
  for (let end = byte; end > least;) {
    const block = blockAt(end - 1);
    const start = block * BLOCK_BYTES;
    const lineFeed = content.block(block).lastIndexOf(LINE_FEED, end - 1 - start);
    if (lineFeed >= 0) return Math.max(least, start + lineFeed + 1);
    end = start;
  }
  return least;
}
