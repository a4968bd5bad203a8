/**
 * Counts strides in plain code: for less than a block, and if the WebAssembly kernel is unavailable. Its results must
 * equal the kernel's.
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
import { charEnd, leadIn } from "../bytes/utf8_chars.ts";

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
function countStrides({ bytes, totals }: StrideMemory, firstStride: number, strideCount: number): void {
  const address = addressOfStride(firstStride);
  const end = addressOfStride(firstStride + strideCount);
  const firstTotal = firstStride + 1;
  const isAscii = textKind(bytes.subarray(address, end)) === "ascii";
  totals.fill(isAscii ? STRIDE_BYTES : 0, firstTotal, firstTotal + strideCount);
  if (isAscii) return;
  // A char that is cut off at the end counts here, and its rest leads in to what follows.
  for (let at = address + leadIn(bytes, address, address - 3); at < end; at = charEnd(bytes, at, end)) {
    totals[firstTotal + ((at - address) >>> 8)]!++;
  }
}
