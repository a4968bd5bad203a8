/**
 * The one pass over new content: counts its lines, chars and pages, and makes the entries of its block index
 * (FORMAT.md), while the bytes go by. Nothing is kept but the last window.
 *
 * Looking at every byte one by one would cost several times what reading and writing it costs. So the pass counts
 * per **stride** of 256 bytes (LFs and char starts, by the kernel or by `count_strides.ts`), and only in a stride
 * where a page ends does it look for the byte (`cut_pages.ts`).
 *
 * @module
 */

import {
  beginBlock,
  type BlockEntries,
  type BlockEntry,
  endBlock,
  firstUnpaged,
  handOver,
  knowPage,
  sealSum,
  startEntries,
} from "./block_entries.ts";
import { BLOCK_BYTES, feedLanes, finishLanes, LANE_COUNT, seedLanes } from "../bytes/block_sum.ts";
import { plainCounter } from "./count_strides.ts";
import { firstPage, type OnPage, type OpenPage } from "./cut_pages.ts";
import { countLineFeeds } from "../bytes/line_feeds.ts";
import { kernelCounter } from "./scan_kernel.ts";
import type { StrideCounter } from "./stride_counter.ts";
import {
  addressOfStride,
  BLOCK_STRIDES,
  GUARD_BYTES,
  STRIDE_BYTES,
  STRIDES_ADDRESS,
  WINDOW_BYTES,
} from "./stride_memory.ts";
import { countCharStarts, leadIn } from "../bytes/utf8_chars.ts";

/** What the whole content holds (contract, Units). */
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
  /** Where to put the next bytes, 65,536 at most; valid until the next `accept`. */
  window(): Uint8Array;
  /** Scans the first `byteLength` bytes of the window. */
  accept(byteLength: number): void;
  /** Hands over the entries that are left, and says the totals. The pass is over. */
  end(): ScanTotals;
}

/** Where a pass goes on that somebody else began: the start of a block, and what is known there. */
export interface ScanStart {
  /** A multiple of the block's size. */
  byteOffset: number;
  /** Chars that start, and LFs that stand, before it. */
  charCount: number;
  lineFeedCount: number;
  /** The page under way, which starts in the block: its number, its start, and how many chars start before that. */
  pageNumber: number;
  pageStart: number;
  charsBeforePage: number;
  /** The last bytes before it, 3 at least (all where there are fewer), {@link GUARD_BYTES} at most. */
  bytesBefore: Uint8Array;
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
  /** Where to begin; at the content's start unless given. The totals' `sum` is then none. */
  from?: ScanStart | undefined;
}

/** From here on the kernel pays for its start: a shorter content is over before it would have won the time back. */
const KERNEL_FROM_BYTES = 65_536;

const LINE_FEED = 10;

interface ScanState {
  counter: StrideCounter;
  /** How many bytes must have come before a kernel is asked for; Infinity once it was. */
  kernelFrom: number;
  page: OpenPage;
  onPage: OnPage;
  entries: BlockEntries;
  /** The content offset of the first stride in memory. */
  byteOffset: number;
  /** How many bytes are there, less than a stride between two calls. */
  pendingBytes: number;
  /** The window that was made last, and behind how many pending bytes it is; undefined where there is none. */
  window: Uint8Array | undefined;
  windowAt: number;
  /** Chars that start, and LFs, before the first stride in memory. */
  charCount: number;
  lineFeedCount: number;
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
export function startScan(
  { pageSize, onEntry, kernelFrom = KERNEL_FROM_BYTES, from }: ScanOptions,
): TextScan {
  const entries = startEntries(onEntry, (from?.byteOffset ?? 0) / BLOCK_BYTES);
  const state: ScanState = {
    counter: plainCounter(),
    kernelFrom,
    page: firstPage(pageSize),
    onPage: (number, start, end) => knowPage(entries, number, start, end),
    entries,
    byteOffset: 0,
    pendingBytes: 0,
    window: undefined,
    windowAt: 0,
    charCount: 0,
    lineFeedCount: 0,
    endsInLineFeed: false,
  };
  if (from !== undefined) goOnFrom(state, from);
  return {
    window: () =>
      state.window !== undefined && state.windowAt === state.pendingBytes ? state.window : newWindow(state),
    accept: (byteLength) => accept(state, byteLength),
    end: () => end(state),
  };
}

/** A view is dear to make and to collect; while whole strides come in, one serves them all. */
function newWindow(state: ScanState): Uint8Array {
  const from = STRIDES_ADDRESS + state.pendingBytes;
  const window = state.counter.memory.bytes.subarray(from, from + WINDOW_BYTES);
  state.window = window;
  state.windowAt = state.pendingBytes;
  return window;
}

function goOnFrom(state: ScanState, from: ScanStart): void {
  const { page, counter: { memory } } = state;
  state.kernelFrom += from.byteOffset;
  state.byteOffset = from.byteOffset;
  state.charCount = from.charCount;
  state.lineFeedCount = from.lineFeedCount;
  page.number = from.pageNumber;
  page.start = from.pageStart;
  page.limitChar = from.charsBeforePage + page.pageSize;
  memory.bytes.set(from.bytesBefore, STRIDES_ADDRESS - from.bytesBefore.length);
}

function accept(state: ScanState, byteLength: number): void {
  state.pendingBytes += byteLength;
  const strideCount = Math.floor(state.pendingBytes / STRIDE_BYTES);
  if (strideCount === 0) return;
  if (state.byteOffset >= state.kernelFrom) takeKernel(state);
  const strideInBlock = state.byteOffset / STRIDE_BYTES % BLOCK_STRIDES;
  state.counter.count(strideCount, strideInBlock);
  noteBlocks(state, strideCount, strideInBlock);
  cutCounted(state, strideCount, addressOfStride(strideCount));
  moveOn(state, strideCount);
}

/** Moves everything into the kernel's memory, where there is a kernel. */
function takeKernel(state: ScanState): void {
  state.kernelFrom = Infinity;
  const counter = kernelCounter();
  if (counter === undefined) return;
  counter.memory.bytes.set(state.counter.memory.bytes);
  state.counter = counter;
  state.window = undefined;
}

/** Notes where blocks start and end in the strides that were counted. */
function noteBlocks(state: ScanState, strideCount: number, strideInBlock: number): void {
  const { entries, charCount, lineFeedCount, counter: { memory } } = state;
  let startedCount = 0;
  let endedCount = 0;
  for (let stride = -strideInBlock; stride < strideCount; stride += BLOCK_STRIDES) {
    if (stride >= 0) {
      const leadIn = memory.leadIns[startedCount]!;
      startedCount++;
      const charsBefore = charCount + memory.totals[stride]!;
      beginBlock(entries, charsBefore, lineFeedCount + memory.lineFeeds[startedCount]!, leadIn);
    }
    if (stride + BLOCK_STRIDES <= strideCount) {
      endBlock(entries, memory.blockSums[endedCount]!);
      endedCount++;
    }
  }
}

/** Ends the pages that end in the strides that were counted. The content in them ends at `endAddress`. */
function cutCounted(state: ScanState, strideCount: number, endAddress: number): void {
  const { counter, page, entries, byteOffset, charCount: charsBefore } = state;
  const strides = { strideCount, endAddress, byteOffset, charsBefore };
  counter.cutPages(page, strides, firstUnpaged(entries), state.onPage);
  handOver(entries);
  state.charCount += counter.memory.totals[strideCount]!;
  state.lineFeedCount += counter.memory.lineFeeds[0]!;
  state.endsInLineFeed = counter.memory.bytes[endAddress - 1] === LINE_FEED;
}

/** Gives up the first `strideCount` strides: what is left, and the guard before it, moves to the front. */
function moveOn(state: ScanState, strideCount: number): void {
  const from = addressOfStride(strideCount);
  const to = STRIDES_ADDRESS + state.pendingBytes;
  state.counter.memory.bytes.copyWithin(STRIDES_ADDRESS - GUARD_BYTES, from - GUARD_BYTES, to);
  state.byteOffset += strideCount * STRIDE_BYTES;
  state.pendingBytes -= strideCount * STRIDE_BYTES;
}

function end(state: ScanState): ScanTotals {
  const byteCount = state.byteOffset + state.pendingBytes;
  if (state.pendingBytes > 0) scanRest(state, state.pendingBytes);
  if (byteCount % BLOCK_BYTES !== 0) {
    endBlock(state.entries, finishLanes(state.counter.memory.lanes, byteCount % BLOCK_BYTES));
  }
  knowPage(state.entries, state.page.number, state.page.start, byteCount);
  handOver(state.entries);
  const endsOpenLine = byteCount > 0 && !state.endsInLineFeed;
  return {
    byteCount,
    charCount: state.charCount,
    lineFeedCount: state.lineFeedCount,
    lineCount: state.lineFeedCount + (endsOpenLine ? 1 : 0),
    pageCount: state.page.number,
    sum: sealSum(state.entries),
  };
}

/** Scans the last stride, which is not full. */
function scanRest(state: ScanState, byteLength: number): void {
  const { bytes, words, lanes, totals, lineFeeds } = state.counter.memory;
  const restEnd = STRIDES_ADDRESS + byteLength;
  // Whatever stood there must not make a char go on beyond the end.
  bytes.fill(0, restEnd, STRIDES_ADDRESS + STRIDE_BYTES);
  const ownedBefore = leadIn(bytes, STRIDES_ADDRESS, STRIDES_ADDRESS - GUARD_BYTES);
  if (state.byteOffset % BLOCK_BYTES === 0) {
    seedLanes(lanes);
    beginBlock(state.entries, state.charCount, state.lineFeedCount, ownedBefore);
  }
  totals[1] = countCharStarts(bytes, STRIDES_ADDRESS + ownedBefore, restEnd);
  lineFeeds[0] = countLineFeeds(bytes.subarray(STRIDES_ADDRESS, restEnd));
  const stepCount = Math.ceil(byteLength / (LANE_COUNT * 4));
  feedLanes(lanes, words, STRIDES_ADDRESS / 4, STRIDES_ADDRESS / 4 + stepCount * LANE_COUNT);
  cutCounted(state, 1, restEnd);
}
