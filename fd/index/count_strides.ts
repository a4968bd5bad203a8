/**
 * Counts strides in plain code: for small content, and if the WebAssembly kernel is unavailable. Its results must
 * equal the kernel's.
 *
 * Small content is scanned once, in an interpreter, by code that no compiler has optimized. So native code classifies
 * the bytes (`textKind`) and finds the LFs, and the only loop over all bytes handles eight words per round.
 */

import { BLOCK_BYTES, feedLanes, finishLanes, seedLanes } from "../bytes/block_sum.ts";
import { cutPages, type StrideCounter } from "./cut_pages.ts";
import { endsControl } from "../clean/find_controls.ts";
import { countLineFeeds } from "../bytes/line_feeds.ts";
import {
  addressOfStride,
  BLOCK_STRIDES,
  GUARD_BYTES,
  layOutMemory,
  MEMORY_BYTES,
  STRIDE_BYTES,
  type StrideMemory,
} from "./stride_memory.ts";
import { textKind } from "../bytes/utf8_bytes.ts";
import { charEnd, leadIn, startOfCutOff } from "../bytes/utf8_chars.ts";

const STRIDE_WORDS = STRIDE_BYTES / 4;

/** Creates a counter with its own memory, or with `bytes`, which may have content from the first stride on. */
export function plainCounter(bytes = new Uint8Array(MEMORY_BYTES)): StrideCounter {
  const memory = layOutMemory(bytes);
  return {
    memory,
    count: countAndSum.bind(undefined, memory),
    cutPages: cutPages.bind(undefined, memory),
  };
}

function countAndSum(memory: StrideMemory, strideCount: number, strideInBlock: number): void {
  const { bytes, words, lanes, totals, lineFeeds, leadIns, blockSums, controls } = memory;
  let inBlock = strideInBlock;
  let startedCount = 0;
  let endedCount = 0;
  let lineFeedCount = 0;
  let blockCount = 0;
  for (let done = 0; done < strideCount;) {
    const run = Math.min(strideCount - done, BLOCK_STRIDES - inBlock);
    countStrides(memory, done, run);
    for (let stride = done; stride < done + run; stride++) totals[stride + 1]! += totals[stride]!;
    const address = addressOfStride(done);
    if (inBlock === 0) {
      seedLanes(lanes);
      leadIns[startedCount] = leadIn(bytes, address, address - GUARD_BYTES);
      startedCount++;
      lineFeeds[startedCount] = lineFeedCount;
    }
    lineFeedCount += countLineFeeds(bytes.subarray(address, addressOfStride(done + run)));
    controls[blockCount++] = endsControl(bytes, address, addressOfStride(done + run)) ? 1 : 0;
    const firstWord = address / 4;
    feedLanes(lanes, words, firstWord, firstWord + run * STRIDE_WORDS);
    done += run;
    inBlock += run;
    if (inBlock < BLOCK_STRIDES) continue;
    blockSums[endedCount] = finishLanes(lanes, BLOCK_BYTES);
    endedCount++;
    inBlock = 0;
  }
  lineFeeds[0] = lineFeedCount;
}

/** Stores each stride's own count in the place of its total. */
function countStrides(memory: StrideMemory, firstStride: number, strideCount: number): void {
  const { bytes, totals } = memory;
  const address = addressOfStride(firstStride);
  const end = addressOfStride(firstStride + strideCount);
  const firstTotal = firstStride + 1;
  const range = bytes.subarray(address, end);
  const kind = textKind(range);
  const ascii = kind === "ascii";
  totals.fill(ascii ? STRIDE_BYTES : 0, firstTotal, firstTotal + strideCount);
  if (ascii) return;
  const begin = address + leadIn(bytes, address, address - 3);
  const cutAt = address + startOfCutOff(range);
  if (kind === "neither" && textKind(bytes.subarray(begin, cutAt)) === "neither") {
    for (let at = begin; at < end; at = charEnd(bytes, at, end)) {
      totals[firstTotal + ((at - address) >>> 8)]!++;
    }
    return;
  }
  countLeads(memory, firstStride, strideCount);
  // Bytes of a char that may be cut off were not checked: all but its lead counted as continuations.
  for (let at = cutAt; at < end; at = charEnd(bytes, at, end)) {
    if (at > cutAt) totals[firstStride + strideCount]!++;
  }
}

/** Counts the bytes of each stride that are not continuation bytes. */
function countLeads({ words, totals }: StrideMemory, firstStride: number, strideCount: number): void {
  let word = addressOfStride(firstStride) / 4;
  for (let stride = 0; stride < strideCount; stride++) {
    // Four counters of continuation bytes (high bits 10) share a word; each is at most 64.
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
    totals[firstStride + stride + 1] = STRIDE_BYTES - ((pairs + (pairs >>> 16)) & 0xffff);
  }
}
