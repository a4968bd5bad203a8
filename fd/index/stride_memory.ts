/**
 * The memory in which the scan of new content works, laid out so that the caller reads straight into it, and so that
 * a WebAssembly kernel can have it as its own:
 *
 *     lanes of the block sum | running totals | LFs | open page | of blocks | … guard | strides: pending bytes, then
 *     the window for the next read
 *
 * A stride is 256 bytes; strides stand at content offsets that are multiples of 256. The guard holds the bytes before.
 *
 * @module
 */

import { BLOCK_BYTES, LANE_COUNT } from "../bytes/block_sum.ts";

/** Bytes in a stride, the unit in which the scan counts. */
export const STRIDE_BYTES = 256;

/** Bytes in the window: what a pipe holds, so that one read takes all of it. */
export const WINDOW_BYTES = 65_536;

/** Where the lanes are; the kernel knows it, too. */
const LANES_ADDRESS = 0;

/** Where the totals are. */
export const TOTALS_ADDRESS = 128;

/** Where the LFs of the strides and before blocks are. */
export const LINE_FEEDS_ADDRESS = 2240;

/** Where the page under way is while the kernel cuts pages; see `scan_kernel.ts`. */
export const PAGE_ADDRESS = 2304;

/** Where the lead-ins of blocks are. */
export const LEAD_INS_ADDRESS = 2432;

/** Where the sums of blocks are. */
export const BLOCK_SUMS_ADDRESS = 2560;

/** Where the strides begin. */
export const STRIDES_ADDRESS = 4096;

/** More than the 3 bytes that decide whether a byte starts a char, so that the kernel may load whole vectors. */
export const GUARD_BYTES = 64;

export const MEMORY_BYTES = 2 * WINDOW_BYTES;

/** Pending bytes are less than a stride, so at most this many whole strides are there at once. */
const MOST_STRIDES = WINDOW_BYTES / STRIDE_BYTES;

/** Strides in a block, which has a sum of its own. */
export const BLOCK_STRIDES = BLOCK_BYTES / STRIDE_BYTES;

/** At most so many blocks start, and so many end, in the strides that are there at once. */
export const MOST_BLOCKS = MOST_STRIDES / BLOCK_STRIDES;

/** One memory, seen in the ways that the scan needs. */
export interface StrideMemory {
  bytes: Uint8Array<ArrayBuffer>;
  words: Int32Array;
  lanes: Int32Array;
  /** At n, how many chars start in the strides before stride n. Hence the first is 0. */
  totals: Int32Array;
  /** How many LFs stand in the strides that were counted last; after it, before each block that starts in them, in order. */
  lineFeeds: Int32Array;
  /** Of the blocks that start in the strides that were counted last, in order, the lead-ins (FORMAT.md). */
  leadIns: Int32Array;
  /** Of the blocks that end in them, in order, the sums. */
  blockSums: Uint32Array;
}

/** `bytes` must be {@link MEMORY_BYTES} zeros with a buffer of their own. */
export function layOutMemory(bytes: Uint8Array<ArrayBuffer>): StrideMemory {
  const { buffer } = bytes;
  return {
    bytes,
    words: new Int32Array(buffer),
    lanes: new Int32Array(buffer, LANES_ADDRESS, LANE_COUNT),
    totals: new Int32Array(buffer, TOTALS_ADDRESS, MOST_STRIDES + 1),
    lineFeeds: new Int32Array(buffer, LINE_FEEDS_ADDRESS, 1 + MOST_BLOCKS),
    leadIns: new Int32Array(buffer, LEAD_INS_ADDRESS, MOST_BLOCKS),
    blockSums: new Uint32Array(buffer, BLOCK_SUMS_ADDRESS, MOST_BLOCKS),
  };
}

/** The address of stride `stride` (from 0). */
export function addressOfStride(stride: number): number {
  return STRIDES_ADDRESS + stride * STRIDE_BYTES;
}
