/**
 * The one pass over new content: counts its lines, chars and pages, and makes the entries of its block index
 * (FORMAT.md), while the bytes go by. Nothing is kept but the last window.
 *
 * Looking at every byte one by one would cost several times what reading and writing it costs. So the pass counts
 * per **stride** of 256 bytes (LFs and char starts, by the kernel or by `count_strides.ts`), and only in a stride
 * where a page ends does it look for the byte. Two things make that exact: a char's start can be told from 3 bytes
 * before it, and after an LF a char starts for certain, so the chars between an LF and the end of its stride can
 * be counted forward.
 *
 * The memory is laid out so that the caller reads straight into it:
 *
 *     lanes of the block sum | counts | … guard | pending part of a stride | window for the next read
 *
 * with the strides at content offsets that are multiples of 256, and the guard holding the bytes before them.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { BLOCK_BYTES, feedLane, feedLanes, finishLanes, LANE_COUNT, seedLanes } from "./block_sum.ts";
import { countStrides, STRIDE_BYTES, type StrideMemory } from "./count_strides.ts";
import { endOfPage } from "./page_rule.ts";
import { loadKernel, type ScanKernel } from "./scan_kernel.ts";
import { countCharStarts, leadIn, skipChars } from "./utf8_chars.ts";

/** One entry of the block index: what is known where a block of content starts (FORMAT.md). */
export interface BlockEntry {
  /** Chars that start before the block. */
  charsBefore: number;
  lineFeedsBefore: number;
  /** The page (from 1) that the block's first byte belongs to, and the byte offset where that page starts. */
  pageNumber: number;
  pageStart: number;
  /** The block sum of the block's bytes, 0 to 2^32 - 1. */
  blockSum: number;
  /** Bytes at the block's start (0 to 3) of a char that started before it. */
  leadIn: number;
}

/** What the whole content holds (the contract's section 2). */
export interface ScanTotals {
  byteCount: number;
  charCount: number;
  lineFeedCount: number;
  lineCount: number;
  /** At least 1: empty content has one empty page. */
  pageCount: number;
  /** The block sum of the list of all block sums, FORMAT.md's `sum` of the seal line. */
  sum: number;
}

/** A pass under way. */
export interface TextScan {
  /** Where to put the next bytes, at most {@link WINDOW_BYTES}; valid until the next `accept`. */
  window(): Buffer;
  /** Scans the first `byteLength` bytes of the window. */
  accept(byteLength: number): void;
  /** Hands over the entries that are left, and says the totals. The pass is over. */
  end(): ScanTotals;
}

/** How to scan. */
export interface ScanOptions {
  /** Chars in a page, 1 to 16,777,216. */
  pageSize: number;
  /**
   * Is given the entry of every block, in order, each once. An entry can come late: its page is known only when
   * that page's end is.
   */
  onEntry(entry: BlockEntry): void;
  /** How many bytes must have come before the kernel is worth its start: {@link KERNEL_FROM_BYTES} unless given. */
  kernelFrom?: number | undefined;
}

/** Bytes in the window: what a pipe holds, so that one read takes all of it. */
export const WINDOW_BYTES = 65_536;

/** From here on the kernel pays for its start: a shorter content is over before it would have won the time back. */
export const KERNEL_FROM_BYTES = 65_536;

/** The kernel's lanes stand at address 0. */
const LANES_ADDRESS = 0;
const COUNTS_ADDRESS = 128;
const STRIDES_ADDRESS = 4096;
/** More than the 3 bytes that decide whether a byte starts a char, so that the kernel may load whole vectors. */
const GUARD_BYTES = 64;
const MEMORY_BYTES = 2 * WINDOW_BYTES;
const BLOCK_STRIDES = BLOCK_BYTES / STRIDE_BYTES;

interface ScanMemory extends StrideMemory {
  bytes: Buffer;
  lanes: Int32Array;
}

/** An LF that a later page may end after. While `strideAddress` is not 0, where in that stride it is is not yet known. */
interface LastLineFeed {
  strideAddress: number;
  /** How many chars start before the end of that stride. */
  charsBeforeStrideEnd: number;
  /** The byte offset of the LF, -1 for none yet. */
  byteOffset: number;
  /** The number of the char after it. */
  nextChar: number;
}

interface ScanState {
  memory: ScanMemory;
  /** "later": the content is still too short for it. "never": it is not to be had here. */
  kernel: ScanKernel | "later" | "never";
  kernelFrom: number;
  pageSize: number;
  onEntry(entry: BlockEntry): void;
  /** The content offset of the byte at STRIDES_ADDRESS; a multiple of 256. */
  stridesOffset: number;
  /** How many bytes are there, less than 256 between two calls. */
  pendingBytes: number;
  charCount: number;
  lineFeedCount: number;
  pageNumber: number;
  pageStart: number;
  /** The number of the char whose start means that the page does not take the rest: the page's first char + P. */
  limitChar: number;
  lastLineFeed: LastLineFeed;
  /** Entries not handed over yet: of these the first `pagedCount` know their page, all but an open block's their sum. */
  waiting: BlockEntry[];
  pagedCount: number;
  summedCount: number;
  /** How many blocks were handed over. */
  handedCount: number;
  /** How many blocks have their sum, and the lanes of the sum of all those sums. */
  sealedBlocks: number;
  sealLanes: Int32Array;
  endsInLineFeed: boolean;
}

/**
 * Starts a pass over new content.
 *
 * ```ts
 * import { startScan } from "./scan_text.ts";
 * const scan = startScan({ pageSize: 4000, onEntry() {} });
 * const bytes = new TextEncoder().encode("a\nb\n");
 * scan.window().set(bytes);
 * scan.accept(bytes.length);
 * if (scan.end().lineCount !== 2) throw new Error();
 * ```
 */
export function startScan({ pageSize, onEntry, kernelFrom = KERNEL_FROM_BYTES }: ScanOptions): TextScan {
  const state: ScanState = {
    memory: layOut(Buffer.alloc(MEMORY_BYTES)),
    kernel: "later",
    kernelFrom,
    pageSize,
    onEntry,
    stridesOffset: 0,
    pendingBytes: 0,
    charCount: 0,
    lineFeedCount: 0,
    pageNumber: 1,
    pageStart: 0,
    limitChar: pageSize,
    lastLineFeed: { strideAddress: 0, charsBeforeStrideEnd: 0, byteOffset: -1, nextChar: 0 },
    waiting: [],
    pagedCount: 0,
    summedCount: 0,
    handedCount: 0,
    sealedBlocks: 0,
    sealLanes: new Int32Array(LANE_COUNT),
    endsInLineFeed: false,
  };
  seedLanes(state.sealLanes);
  return {
    window() {
      const from = STRIDES_ADDRESS + state.pendingBytes;
      return state.memory.bytes.subarray(from, from + WINDOW_BYTES);
    },
    accept: (byteLength) => accept(state, byteLength),
    end: () => end(state),
  };
}

function layOut(bytes: Buffer): ScanMemory {
  const { buffer } = bytes;
  return {
    bytes,
    words: new Int32Array(buffer),
    counts: new Int32Array(buffer, COUNTS_ADDRESS, BLOCK_STRIDES),
    lanes: new Int32Array(buffer, LANES_ADDRESS, LANE_COUNT),
  };
}

function accept(state: ScanState, byteLength: number): void {
  state.pendingBytes += byteLength;
  const strideCount = Math.floor(state.pendingBytes / STRIDE_BYTES);
  if (strideCount === 0) return;
  if (state.kernel === "later" && state.stridesOffset >= state.kernelFrom) takeKernel(state);
  let done = 0;
  while (done < strideCount) {
    const address = STRIDES_ADDRESS + done * STRIDE_BYTES;
    const strideInBlock = (state.stridesOffset / STRIDE_BYTES + done) % BLOCK_STRIDES;
    if (strideInBlock === 0) beginBlock(state, address);
    const run = Math.min(strideCount - done, BLOCK_STRIDES - strideInBlock);
    countAndFeed(state, address, run);
    cutPages(state, address, run);
    done += run;
    if (strideInBlock + run === BLOCK_STRIDES) endBlock(state, BLOCK_BYTES);
  }
  moveOn(state, strideCount * STRIDE_BYTES);
}

function countAndFeed({ kernel, memory }: ScanState, address: number, strideCount: number): void {
  if (typeof kernel === "object") {
    kernel.count(address, strideCount, COUNTS_ADDRESS);
    return;
  }
  countStrides(memory, address, strideCount);
  feedLanes(memory.lanes, memory.words, address / 4, address / 4 + strideCount * STRIDE_BYTES / 4);
}

/** Moves everything into the kernel's memory, where there is a kernel. */
function takeKernel(state: ScanState): void {
  const kernel = loadKernel(MEMORY_BYTES);
  if (kernel === undefined) {
    state.kernel = "never";
    return;
  }
  const memory = layOut(Buffer.from(kernel.memory));
  memory.bytes.set(state.memory.bytes);
  state.memory = memory;
  state.kernel = kernel;
}

/** Gives up the first `byteLength` bytes of the strides: what is left, and the guard before it, moves to the front. */
function moveOn(state: ScanState, byteLength: number): void {
  findLastLineFeed(state);
  const { bytes } = state.memory;
  const from = STRIDES_ADDRESS + byteLength;
  bytes.copyWithin(STRIDES_ADDRESS - GUARD_BYTES, from - GUARD_BYTES, STRIDES_ADDRESS + state.pendingBytes);
  state.endsInLineFeed = bytes[STRIDES_ADDRESS - 1] === LINE_FEED;
  state.stridesOffset += byteLength;
  state.pendingBytes -= byteLength;
}

const LINE_FEED = 10;

function end(state: ScanState): ScanTotals {
  const restBytes = state.pendingBytes;
  if (restBytes > 0) {
    if (state.stridesOffset % BLOCK_BYTES === 0) beginBlock(state, STRIDES_ADDRESS);
    scanRest(state, restBytes);
  }
  const byteCount = state.stridesOffset + restBytes;
  if (byteCount % BLOCK_BYTES !== 0) endBlock(state, byteCount % BLOCK_BYTES);
  knowPages(state, byteCount);
  handOver(state);
  const endsOpenLine = byteCount > 0 && !state.endsInLineFeed;
  return {
    byteCount,
    charCount: state.charCount,
    lineFeedCount: state.lineFeedCount,
    lineCount: state.lineFeedCount + (endsOpenLine ? 1 : 0),
    pageCount: state.pageNumber,
    sum: sealSum(state),
  };
}

/** Scans the last, partial stride. */
function scanRest(state: ScanState, byteLength: number): void {
  const { bytes, words, counts, lanes } = state.memory;
  const restEnd = STRIDES_ADDRESS + byteLength;
  bytes.fill(0, restEnd, STRIDES_ADDRESS + STRIDE_BYTES);
  let lineFeedCount = 0;
  for (let at = STRIDES_ADDRESS; at < restEnd; at++) {
    if (bytes[at] === LINE_FEED) lineFeedCount++;
  }
  const begin = STRIDES_ADDRESS + leadIn(bytes, STRIDES_ADDRESS, STRIDES_ADDRESS - GUARD_BYTES);
  counts[0] = lineFeedCount << 16 | countCharStarts(bytes, begin, restEnd);
  const stepCount = Math.ceil(byteLength / (LANE_COUNT * 4));
  feedLanes(lanes, words, STRIDES_ADDRESS / 4, STRIDES_ADDRESS / 4 + stepCount * LANE_COUNT);
  cutPages(state, STRIDES_ADDRESS, 1);
  state.endsInLineFeed = bytes[restEnd - 1] === LINE_FEED;
}

/** Takes the counts of `strideCount` strides from `address` on into the totals, and ends the pages that end there. */
function cutPages(state: ScanState, address: number, strideCount: number): void {
  const { memory: { counts }, lastLineFeed } = state;
  const total = counts[strideCount - 1]!;
  if (state.limitChar < state.charCount + charsUpTo(total)) cutInRun(state, address, strideCount);
  if (lineFeedsUpTo(total) > 0) {
    let stride = strideCount - 1;
    while (stride > 0 && lineFeedsUpTo(counts[stride - 1]!) === lineFeedsUpTo(total)) stride--;
    lastLineFeed.strideAddress = address + stride * STRIDE_BYTES;
    lastLineFeed.charsBeforeStrideEnd = state.charCount + charsUpTo(counts[stride]!);
  }
  state.charCount += charsUpTo(total);
  state.lineFeedCount += lineFeedsUpTo(total);
}

function charsUpTo(count: number): number {
  return count & 0xffff;
}

function lineFeedsUpTo(count: number): number {
  return count >>> 16;
}

/** Ends every page whose limit is among the chars that start in the `strideCount` strides at `address`. */
function cutInRun(state: ScanState, address: number, strideCount: number): void {
  const { memory: { bytes, counts }, pageSize, lastLineFeed } = state;
  const offsetOfAddressZero = state.stridesOffset - STRIDES_ADDRESS;
  const runStarts = charsUpTo(counts[strideCount - 1]!);
  let stride = -1;
  // A char's number in the run, and where it starts: the last limit, or the stride's first char.
  let knownChar = 0;
  let knownStart = 0;
  let limitChar = state.limitChar - state.charCount;
  while (limitChar < runStarts) {
    const strideOfLimit = strideOfChar(counts, Math.max(stride, 0), strideCount, limitChar);
    const before = strideOfLimit > 0 ? counts[strideOfLimit - 1]! : 0;
    const strideAddress = address + strideOfLimit * STRIDE_BYTES;
    if (strideOfLimit !== stride) {
      stride = strideOfLimit;
      knownChar = charsUpTo(before);
      knownStart = strideAddress + leadIn(bytes, strideAddress, strideAddress - GUARD_BYTES);
    }
    const everyByteStarts = charsUpTo(counts[stride]! - before) === STRIDE_BYTES;
    const limit = everyByteStarts
      ? strideAddress + limitChar - charsUpTo(before)
      : skipChars(bytes, knownStart, strideAddress + STRIDE_BYTES, limitChar - knownChar);
    knownChar = limitChar;
    knownStart = limit;

    const pageAddress = state.pageStart - offsetOfAddressZero;
    let lineFeedByte: number | undefined;
    let nextChar = state.limitChar;
    let searchEnd = limit;
    let charsBeforeSearchEnd = limitChar;
    for (let back = stride; back >= 0 && searchEnd > pageAddress; back--) {
      const backAddress = address + back * STRIDE_BYTES;
      const countBefore = back > 0 ? counts[back - 1]! : 0;
      if (lineFeedsUpTo(counts[back]! - countBefore) > 0) {
        const lineFeed = lastLineFeedIn(bytes, Math.max(backAddress, pageAddress), searchEnd);
        if (lineFeed >= 0) {
          lineFeedByte = lineFeed + offsetOfAddressZero;
          const everyBackByteStarts = charsUpTo(counts[back]! - countBefore) === STRIDE_BYTES;
          const charsAfter = everyBackByteStarts
            ? searchEnd - lineFeed - 1
            : countCharStarts(bytes, lineFeed + 1, searchEnd);
          nextChar = state.charCount + charsBeforeSearchEnd - charsAfter;
          break;
        }
      }
      searchEnd = backAddress;
      charsBeforeSearchEnd = charsUpTo(countBefore);
    }
    if (lineFeedByte === undefined) {
      findLastLineFeed(state);
      if (lastLineFeed.byteOffset >= state.pageStart) {
        lineFeedByte = lastLineFeed.byteOffset;
        nextChar = lastLineFeed.nextChar;
      }
    }
    // The stride's end was seen, and the limit, where a char starts, is before it.
    const seenEnd = strideAddress + STRIDE_BYTES + offsetOfAddressZero;
    const pageEnd = endOfPage(limit + offsetOfAddressZero, lineFeedByte, seenEnd);
    knowPages(state, pageEnd);
    state.pageNumber++;
    state.pageStart = pageEnd;
    state.limitChar = nextChar + pageSize;
    limitChar = state.limitChar - state.charCount;
  }
  handOver(state);
}

/** The first stride, not before `fromStride`, up to whose end more than `char` chars start. There must be one. */
function strideOfChar(counts: Int32Array, fromStride: number, strideCount: number, char: number): number {
  // A stride has at most 256 chars. Where each had that many (ASCII), this is the answer.
  let low = Math.max(fromStride, Math.floor(char / STRIDE_BYTES));
  if (charsUpTo(counts[low]!) > char) return low;
  let high = strideCount - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (charsUpTo(counts[middle]!) > char) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The last LF in bytes `[from, to)`, or -1. */
function lastLineFeedIn(bytes: Uint8Array, from: number, to: number): number {
  let at = to - 1;
  while (at >= from && bytes[at] !== LINE_FEED) at--;
  return at >= from ? at : -1;
}

/** Finds where in its stride the last LF is, while that stride is still in memory. */
function findLastLineFeed(state: ScanState): void {
  const { memory: { bytes }, lastLineFeed } = state;
  if (lastLineFeed.strideAddress === 0) return;
  const strideEnd = lastLineFeed.strideAddress + STRIDE_BYTES;
  const at = lastLineFeedIn(bytes, lastLineFeed.strideAddress, strideEnd);
  lastLineFeed.byteOffset = state.stridesOffset + at - STRIDES_ADDRESS;
  lastLineFeed.nextChar = lastLineFeed.charsBeforeStrideEnd - countCharStarts(bytes, at + 1, strideEnd);
  lastLineFeed.strideAddress = 0;
}

function beginBlock(state: ScanState, address: number): void {
  seedLanes(state.memory.lanes);
  state.waiting.push({
    charsBefore: state.charCount,
    lineFeedsBefore: state.lineFeedCount,
    pageNumber: 0,
    pageStart: 0,
    blockSum: 0,
    leadIn: leadIn(state.memory.bytes, address, address - GUARD_BYTES),
  });
}

function endBlock(state: ScanState, byteLength: number): void {
  const sum = finishLanes(state.memory.lanes, byteLength);
  state.waiting[state.summedCount]!.blockSum = sum;
  state.summedCount++;
  feedLane(state.sealLanes, state.sealedBlocks % LANE_COUNT, sum);
  state.sealedBlocks++;
  handOver(state);
}

/** The page under way ends at `pageEnd`: tells the entries whose blocks start in it. */
function knowPages(state: ScanState, pageEnd: number): void {
  const { waiting } = state;
  while (
    state.pagedCount < waiting.length && (state.handedCount + state.pagedCount) * BLOCK_BYTES < pageEnd
  ) {
    const entry = waiting[state.pagedCount]!;
    entry.pageNumber = state.pageNumber;
    entry.pageStart = state.pageStart;
    state.pagedCount++;
  }
}

/** Hands over the entries that are whole. */
function handOver(state: ScanState): void {
  const wholeCount = Math.min(state.pagedCount, state.summedCount);
  if (wholeCount === 0) return;
  for (const entry of state.waiting.splice(0, wholeCount)) state.onEntry(entry);
  state.pagedCount -= wholeCount;
  state.summedCount -= wholeCount;
  state.handedCount += wholeCount;
}

function sealSum({ sealLanes, sealedBlocks }: ScanState): number {
  // FORMAT.md pads with zeros to a whole step of all lanes.
  for (let lane = sealedBlocks % LANE_COUNT; lane > 0 && lane < LANE_COUNT; lane++) {
    feedLane(sealLanes, lane, 0);
  }
  return finishLanes(sealLanes, sealedBlocks * 4);
}
