/**
 * The memory in which the scan of new content works, laid out so that the caller reads straight into it, and so that
 * a WebAssembly kernel can have it as its own:
 *
 *     lanes of the block sum | running totals | … guard | strides: pending bytes, then the window for the next read
 *
 * A stride is 256 bytes; strides stand at content offsets that are multiples of 256. The guard holds the bytes before.
 *
 * @module
 */

import { LANE_COUNT } from "./block_sum.ts";

/** Bytes in a stride, the unit in which the scan counts. */
export const STRIDE_BYTES = 256;

/** Bytes in the window: what a pipe holds, so that one read takes all of it. */
export const WINDOW_BYTES = 65_536;

/** Where the lanes are; the kernel knows it, too. */
const LANES_ADDRESS = 0;

/** Where the totals are. */
export const TOTALS_ADDRESS = 128;

/** Where the strides begin. */
export const STRIDES_ADDRESS = 4096;

/** More than the 3 bytes that decide whether a byte starts a char, so that the kernel may load whole vectors. */
export const GUARD_BYTES = 64;

export const MEMORY_BYTES = 2 * WINDOW_BYTES;

/** Pending bytes are less than a stride, so at most this many whole strides are there at once. */
const MOST_STRIDES = WINDOW_BYTES / STRIDE_BYTES;

/** One memory, seen in the ways that the scan needs. */
export interface StrideMemory {
  bytes: Uint8Array<ArrayBuffer>;
  words: Int32Array;
  lanes: Int32Array;
  /**
   * Two numbers a stride, `totals[2 * n]` and `totals[2 * n + 1]`: how many chars start, and how many LFs stand, in the
   * strides before stride n. Hence the first two are zeros, and the totals of n strides are at 2n.
   */
  totals: Int32Array;
}

/** `bytes` must be {@link MEMORY_BYTES} zeros with a buffer of their own. */
export function layOutMemory(bytes: Uint8Array<ArrayBuffer>): StrideMemory {
  const { buffer } = bytes;
  return {
    bytes,
    words: new Int32Array(buffer),
    lanes: new Int32Array(buffer, LANES_ADDRESS, LANE_COUNT),
    totals: new Int32Array(buffer, TOTALS_ADDRESS, 2 * (MOST_STRIDES + 1)),
  };
}

/** The address of stride `stride` (from 0). */
export function addressOfStride(stride: number): number {
  return STRIDES_ADDRESS + stride * STRIDE_BYTES;
}

/**
 * What can be asked about bytes in that memory, all by their addresses. There are two who answer: plain code
 * (`count_strides.ts`) and the kernel (`scan_kernel.ts`), which must agree.
 */
export interface StrideCounter {
  memory: StrideMemory;
  /**
   * Sets the totals of `strideCount` (1 to 128) strides, the first of which is number `firstStride`, and feeds their
   * words to the lanes. The totals of the strides before must be there, and the 3 bytes before the first stride.
   */
  count(firstStride: number, strideCount: number): void;
  /** The address of the last LF in bytes `[from, to)`, or -1. */
  lastLineFeed(from: number, to: number): number;
  /** `countCharStarts` of `utf8_chars.ts`. */
  countCharStarts(from: number, to: number): number;
  /** `skipChars` of `utf8_chars.ts`. */
  skipChars(from: number, to: number, charCount: number): number;
}
