/**
 * The plain way to count what stands in strides of content: for small content, and wherever the WebAssembly kernel
 * is not to be had. It must give exactly what the kernel gives.
 *
 * A small content is scanned once, by code that no compiler has warmed up. So native code (`isAscii`, `isUtf8`)
 * says first what kind of bytes these are, and the loops take a word of four bytes at a time.
 *
 * @module
 */

import { isAscii, isUtf8 } from "node:buffer";
import { charEnd, leadIn, startOfCutOff } from "./utf8_chars.ts";

/** Bytes in a stride, the unit in which the scan counts. */
export const STRIDE_BYTES = 256;

const STRIDE_WORDS = STRIDE_BYTES / 4;

/** Where strides lie and where their counts go. `words` is the same memory as `bytes`. */
export interface StrideMemory {
  bytes: Uint8Array;
  words: Int32Array;
  /** One number a stride: `lineFeedCount << 16 | charStartCount` of all strides counted so far, that one with them. */
  counts: Int32Array;
}

/**
 * Counts LFs and char starts of `strideCount` (1 to 128) strides from the byte `address` (a multiple of 4) on, into
 * `counts[0]` and following. The 3 bytes before `address` must be the content's, or zeros at its start.
 */
export function countStrides(memory: StrideMemory, address: number, strideCount: number): void {
  countEach(memory, address, strideCount);
  const { counts } = memory;
  for (let stride = 1; stride < strideCount; stride++) counts[stride]! += counts[stride - 1]!;
}

/** The same, but each count is of its stride alone. */
function countEach(memory: StrideMemory, address: number, strideCount: number): void {
  const { bytes, counts } = memory;
  const end = address + strideCount * STRIDE_BYTES;
  const range = bytes.subarray(address, end);
  if (isAscii(range)) {
    countLineFeeds(memory, address, strideCount);
    for (let stride = 0; stride < strideCount; stride++) counts[stride]! += STRIDE_BYTES;
    return;
  }
  const begin = address + leadIn(bytes, address, address - 3);
  const cutAt = address + startOfCutOff(range);
  countLineFeeds(memory, address, strideCount);
  if (!isUtf8(bytes.subarray(begin, cutAt))) {
    for (let at = begin; at < end; at = charEnd(bytes, at, end)) counts[(at - address) >>> 8]!++;
    return;
  }
  countLeads(memory, address, strideCount);
  // The bytes that may be cut off were not checked: all but the lead were taken for continuations.
  for (let at = cutAt; at < end; at = charEnd(bytes, at, end)) {
    if (at > cutAt) counts[strideCount - 1]!++;
  }
}

/** Adds up four counts that share a word, each at most 64. */
function addFour(word: number): number {
  const pairs = (word & 0x00ff00ff) + (word >>> 8 & 0x00ff00ff);
  return (pairs + (pairs >>> 16)) & 0xffff;
}

/** Sets each count to its stride's LF count, shifted, and no chars. */
function countLineFeeds({ words, counts }: StrideMemory, address: number, strideCount: number): void {
  let word = address >>> 2;
  for (let stride = 0; stride < strideCount; stride++) {
    let four = 0;
    for (const end = word + STRIDE_WORDS; word < end; word++) {
      const other = words[word]! ^ 0x0a0a0a0a;
      // The high bit of each byte that was LF, and of no other.
      four += ~(((other & 0x7f7f7f7f) + 0x7f7f7f7f) | other) >>> 7 & 0x01010101;
    }
    counts[stride] = addFour(four) << 16;
  }
}

/** Adds to each count how many bytes of its stride are no continuation bytes. */
function countLeads({ words, counts }: StrideMemory, address: number, strideCount: number): void {
  let word = address >>> 2;
  for (let stride = 0; stride < strideCount; stride++) {
    let four = 0;
    for (const end = word + STRIDE_WORDS; word < end; word++) {
      const bits = words[word]!;
      four += (bits >>> 7 & ~bits >>> 6) & 0x01010101;
    }
    counts[stride]! += STRIDE_BYTES - addFour(four);
  }
}
