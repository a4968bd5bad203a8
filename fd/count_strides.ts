/**
 * The plain way to count what stands in strides of content: for small content, and wherever the WebAssembly kernel
 * is not to be had. It must give exactly what the kernel gives.
 *
 * A small content is scanned once, in an interpreter, by code that no compiler has warmed up. So native code says
 * what kind of bytes these are (`isAscii`, `isUtf8`) and finds the LFs (`indexOf`), and the one loop over all bytes
 * takes eight words in a round.
 *
 * @module
 */

import type { Buffer } from "node:buffer";
import { isAscii, isUtf8 } from "node:buffer";
import { charEnd, leadIn, startOfCutOff } from "./utf8_chars.ts";

/** Bytes in a stride, the unit in which the scan counts. */
export const STRIDE_BYTES = 256;

const STRIDE_WORDS = STRIDE_BYTES / 4;

/** Where strides lie and where their counts go. `words` is the same memory as `bytes`. */
export interface StrideMemory {
  bytes: Buffer;
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
  const ascii = isAscii(range);
  counts.fill(ascii ? STRIDE_BYTES : 0, 0, strideCount);
  for (let at = range.indexOf(LINE_FEED); at !== -1; at = range.indexOf(LINE_FEED, at + 1)) {
    counts[at >>> 8]! += 1 << 16;
  }
  if (ascii) return;
  const begin = address + leadIn(bytes, address, address - 3);
  const cutAt = address + startOfCutOff(range);
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

const LINE_FEED = 10;

/** Adds to each count how many bytes of its stride are no continuation bytes. */
function countLeads({ words, counts }: StrideMemory, address: number, strideCount: number): void {
  let word = address >>> 2;
  for (let stride = 0; stride < strideCount; stride++) {
    // Four counts of continuations (their high bits are 10) that share a word, each at most 64.
    let four = 0;
    for (const end = word + STRIDE_WORDS; word < end; word += 8) {
      let bits = words[word]!;
      four += bits >>> 7 & ~bits >>> 6 & 0x01010101;
      bits = words[word + 1]!;
      four += bits >>> 7 & ~bits >>> 6 & 0x01010101;
      bits = words[word + 2]!;
      four += bits >>> 7 & ~bits >>> 6 & 0x01010101;
      bits = words[word + 3]!;
      four += bits >>> 7 & ~bits >>> 6 & 0x01010101;
      bits = words[word + 4]!;
      four += bits >>> 7 & ~bits >>> 6 & 0x01010101;
      bits = words[word + 5]!;
      four += bits >>> 7 & ~bits >>> 6 & 0x01010101;
      bits = words[word + 6]!;
      four += bits >>> 7 & ~bits >>> 6 & 0x01010101;
      bits = words[word + 7]!;
      four += bits >>> 7 & ~bits >>> 6 & 0x01010101;
    }
    const pairs = (four & 0x00ff00ff) + (four >>> 8 & 0x00ff00ff);
    counts[stride]! += STRIDE_BYTES - ((pairs + (pairs >>> 16)) & 0xffff);
  }
}
