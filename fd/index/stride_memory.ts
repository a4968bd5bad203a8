/**
 * The memory of the scan, laid out so that the caller reads directly into it and that a WebAssembly kernel can own
 * it:
 *
 *     lanes of the block sum | running totals | LFs | open page | of blocks | … guard | strides: pending bytes, then
 * the window for the next read
 *
 * A stride is 256 bytes, at a content offset that is a multiple of 256. The guard contains the bytes before the
 * strides.
 */

import { BLOCK_BYTES, LANE_COUNT } from "../bytes/block_sum.ts";

/** Size of a stride, the unit in which the scan counts. */
export const STRIDE_BYTES = 256;

/** Size of the window: the capacity of a pipe, so that one read empties it. */
const WINDOW_BYTES = 65_536;

/** Addresses, which the kernel has, too. */
const LANES_ADDRESS = 0;

const TOTALS_ADDRESS = 128;

/** LFs in all strides, then before each block. */
const LINE_FEEDS_ADDRESS = 2240;

/** The current page while the kernel cuts pages; see `scan_kernel.ts`. */
export const PAGE_ADDRESS = 2304;

const LEAD_INS_ADDRESS = 2432;

const BLOCK_SUMS_ADDRESS = 2560;

const CONTROLS_ADDRESS = 2600;

export const STRIDES_ADDRESS = 4096;

/** More than the 3 bytes that decide whether a byte starts a char, so that the kernel can load whole vectors. */
export const GUARD_BYTES = 64;

export const MEMORY_BYTES = 2 * WINDOW_BYTES;

/** Maximum number of strides that are counted at once; bytes that wait for a window are less than a stride. */
export const MAX_STRIDES = WINDOW_BYTES / STRIDE_BYTES;

export const BLOCK_STRIDES = BLOCK_BYTES / STRIDE_BYTES;

/** Maximum number of blocks that start, and that end, in the strides in memory. */
export const MAX_BLOCKS = MAX_STRIDES / BLOCK_STRIDES;

/** Views of one memory. */
export type StrideMemory = ReturnType<typeof layOutMemory>;

/** Creates the views. `bytes` must be {@link MEMORY_BYTES} with their own buffer, zeros up to the strides. */
export function layOutMemory(bytes: Uint8Array<ArrayBuffer>) {
  const { buffer } = bytes;
  return {
    bytes,
    words: new Int32Array(buffer),
    lanes: new Int32Array(buffer, LANES_ADDRESS, LANE_COUNT),
    /** At n, the chars that start in the strides before stride n; so the first is 0. */
    totals: new Int32Array(buffer, TOTALS_ADDRESS, MAX_STRIDES + 1),
    /** LFs in the last counted strides, followed by the LFs before each block that starts in them. */
    lineFeeds: new Int32Array(buffer, LINE_FEEDS_ADDRESS, 1 + MAX_BLOCKS),
    /** Lead-ins (FORMAT.md) of the blocks that start in the last counted strides. */
    leadIns: new Int32Array(buffer, LEAD_INS_ADDRESS, MAX_BLOCKS),
    /** Sums of the blocks that end in them. */
    blockSums: new Uint32Array(buffer, BLOCK_SUMS_ADDRESS, MAX_BLOCKS),
    /** For each block that they are of, whether a control character other than TAB and LF ends in them: 1 or 0. */
    controls: new Int32Array(buffer, CONTROLS_ADDRESS, MAX_BLOCKS + 1),
  };
}

/** Returns the first `byteLength` bytes of the strides. */
export function bytesIn(memory: Uint8Array, byteLength: number): Uint8Array {
  return memory.subarray(STRIDES_ADDRESS, STRIDES_ADDRESS + byteLength);
}

/** Returns the window behind the first `byteLength` bytes of the strides. */
export function windowIn(memory: Uint8Array, byteLength: number): Uint8Array {
  const from = STRIDES_ADDRESS + byteLength;
  return memory.subarray(from, from + WINDOW_BYTES);
}

/** Returns the address of stride `stride` (from 0). */
export function addressOfStride(stride: number): number {
  return STRIDES_ADDRESS + stride * STRIDE_BYTES;
}
