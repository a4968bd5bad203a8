/**
 * The single pass over new content: counts its lines, chars and pages, and builds its block index (FORMAT.md), while
 * the bytes stream through. Only the last window is buffered.
 *
 * Looking at every byte would cost several times what reading and writing it costs. So the pass counts per **stride**
 * of 256 bytes (LFs and char starts, by the kernel or by `count_strides.ts`), and searches for the byte only in a
 * stride where a page ends (`cut_pages.ts`).
 */

import {
  beginBlock,
  type BlockEntries,
  type BlockEntry,
  endBlock,
  handOver,
  noteControls,
  sealSum,
  setPage,
  startEntries,
} from "./block_entries.ts";
import { BLOCK_BYTES, feedLanes, finishLanes, KERNEL, LANE_COUNT, seedLanes } from "../bytes/block_sum.ts";
import { plainCounter } from "./count_strides.ts";
import type { OnPage, OpenPage, StrideCounter } from "./cut_pages.ts";
import { endsControl } from "../clean/find_controls.ts";
import { countLineFeeds } from "../bytes/line_feeds.ts";
import { kernelCounter } from "./scan_kernel.ts";
import {
  addressOfStride,
  BLOCK_STRIDES,
  GUARD_BYTES,
  MAX_STRIDES,
  STRIDE_BYTES,
  STRIDES_ADDRESS,
  windowIn,
} from "./stride_memory.ts";
import { countChars, leadIn } from "../bytes/utf8_chars.ts";

/** Totals of a whole content (contract, Units). */
export interface ScanTotals {
  byteCount: number;
  charCount: number;
  lineFeedCount: number;
  lineCount: number;
  /** At least 1: empty content has one empty page. */
  pageCount: number;
  /** Block sum of the list of all block sums: `sum` of FORMAT.md's seal line. */
  sum: number;
}

/** A running pass. */
export interface TextScan {
  /** Returns the buffer for the next bytes, at most 65,536; valid until the next `accept`. */
  window(): Uint8Array;
  /** Scans the first `byteLength` bytes of the window; for the first call, of the memory that the scan was given. */
  accept(byteLength: number): void;
  /** Ends the pass: passes on the remaining entries and returns the totals. */
  end(): ScanTotals;
}

/** State for continuing another pass: a block's start and the counts there. */
export interface ScanStart {
  /** Multiple of the block size. */
  byteOffset: number;
  /** Chars that start, and LFs, before it. */
  charCount: number;
  lineFeedCount: number;
  /** The current page, which starts in the block: its number, its start, and the chars before it. */
  pageNumber: number;
  pageStart: number;
  charsBeforePage: number;
  /** The last bytes before it: at least 3 (or all, if fewer) and at most {@link GUARD_BYTES}. */
  bytesBefore: Uint8Array;
}

interface ScanOptions {
  /** Page size in chars, 1 to 16,777,216. */
  pageSize: number;
  /**
   * Called with the entry of every block, in order, once each. May be delayed: the page of an entry is known only
   * when that page ends.
   */
  onEntry(entry: BlockEntry): void;
  /** The kernel is started for as many bytes; defaults to {@link KERNEL_FROM_BYTES}. */
  kernelFrom?: number | undefined;
  /** Memory for {@link StrideMemory} that has the first bytes of the content already; defaults to an empty one. */
  memory?: Uint8Array<ArrayBuffer> | undefined;
  /** Starting point; defaults to the start of the content. If given, `sum` of the totals is invalid. */
  from?: ScanStart | undefined;
}

/** Starting the kernel pays off from this size on. */
const KERNEL_FROM_BYTES = BLOCK_BYTES;

const LINE_FEED = 10;

interface ScanState {
  counter: StrideCounter;
  /** Bytes for which to start the kernel; Infinity once it was tried. */
  kernelFrom: number;
  page: OpenPage;
  onPage: OnPage;
  entries: BlockEntries;
  /** Content offset of the first stride in memory. */
  byteOffset: number;
  /** Bytes in memory; less than a stride between two calls. */
  pendingBytes: number;
  /** The last window created, and the number of pending bytes before it; undefined if there is none. */
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
  { pageSize, onEntry, kernelFrom = KERNEL_FROM_BYTES, memory, from }: ScanOptions,
): TextScan {
  const entries = startEntries(onEntry, (from?.byteOffset ?? 0) / BLOCK_BYTES);
  const state: ScanState = {
    counter: plainCounter(memory),
    kernelFrom,
    page: { pageSize, number: 1, start: 0, limitChar: pageSize, lineFeedByte: -1, lineFeedNextChar: 0 },
    onPage: setPage.bind(undefined, entries),
    entries,
    byteOffset: 0,
    pendingBytes: 0,
    window: undefined,
    windowAt: 0,
    charCount: 0,
    lineFeedCount: 0,
    endsInLineFeed: false,
  };
  if (from !== undefined) resumeFrom(state, from);
  return {
    window: window.bind(undefined, state),
    accept: accept.bind(undefined, state),
    end: end.bind(undefined, state),
  };
}

/** Creates a view only if needed, since they are expensive; while whole strides arrive, one is enough. */
function window(state: ScanState): Uint8Array {
  const { pendingBytes } = state;
  if (state.window !== undefined && state.windowAt === pendingBytes) return state.window;
  state.windowAt = pendingBytes;
  return state.window = windowIn(state.counter.memory.bytes, pendingBytes);
}

function resumeFrom(state: ScanState, from: ScanStart): void {
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
  while (state.pendingBytes >= STRIDE_BYTES) {
    const strideCount = Math.min(Math.floor(state.pendingBytes / STRIDE_BYTES), MAX_STRIDES);
    if (state.byteOffset + state.pendingBytes >= state.kernelFrom) takeKernel(state);
    const strideInBlock = state.byteOffset / STRIDE_BYTES % BLOCK_STRIDES;
    state.counter.count(strideCount, strideInBlock);
    noteBlocks(state, strideCount, strideInBlock);
    cutCounted(state, strideCount, addressOfStride(strideCount));
    // Drops these strides and moves the rest, with the guard before it, to the front.
    const from = addressOfStride(strideCount) - GUARD_BYTES;
    const to = STRIDES_ADDRESS + state.pendingBytes;
    state.counter.memory.bytes.copyWithin(STRIDES_ADDRESS - GUARD_BYTES, from, to);
    state.byteOffset += strideCount * STRIDE_BYTES;
    state.pendingBytes -= strideCount * STRIDE_BYTES;
  }
}

/** Switches to the kernel and its memory, if available. */
function takeKernel(state: ScanState): void {
  state.kernelFrom = Infinity;
  const counter = kernelCounter();
  if (counter === undefined) return;
  counter.memory.bytes.set(state.counter.memory.bytes);
  state.counter = counter;
  state.window = undefined;
}

/** Records where blocks start and end in the counted strides. */
function noteBlocks(state: ScanState, strideCount: number, strideInBlock: number): void {
  const { entries, charCount, lineFeedCount, counter: { memory } } = state;
  let startedCount = 0;
  let endedCount = 0;
  let blockCount = 0;
  for (let stride = -strideInBlock; stride < strideCount; stride += BLOCK_STRIDES) {
    if (stride >= 0) {
      const leadIn = memory.leadIns[startedCount]!;
      startedCount++;
      const charsBefore = charCount + memory.totals[stride]!;
      beginBlock(entries, charsBefore, lineFeedCount + memory.lineFeeds[startedCount]!, leadIn);
    }
    if (memory.controls[blockCount++] === 1) noteControls(entries);
    if (stride + BLOCK_STRIDES <= strideCount) {
      endBlock(entries, memory.blockSums[endedCount]!);
      endedCount++;
    }
  }
}

/** Ends the pages that end in the counted strides, whose content ends at `endAddress`. */
function cutCounted(state: ScanState, strideCount: number, endAddress: number): void {
  const { counter, page, entries, byteOffset, charCount: charsBefore } = state;
  const strides = { strideCount, endAddress, byteOffset, charsBefore };
  counter.cutPages(page, strides, entries.pagedCount * BLOCK_BYTES, state.onPage);
  handOver(entries);
  state.charCount += counter.memory.totals[strideCount]!;
  state.lineFeedCount += counter.memory.lineFeeds[0]!;
  state.endsInLineFeed = counter.memory.bytes[endAddress - 1] === LINE_FEED;
}

function end(state: ScanState): ScanTotals {
  const byteCount = state.byteOffset + state.pendingBytes;
  if (state.pendingBytes > 0) scanRest(state, state.pendingBytes);
  if (byteCount % BLOCK_BYTES !== 0) {
    endBlock(state.entries, finishLanes(state.counter.memory.lanes, byteCount % BLOCK_BYTES));
  }
  setPage(state.entries, state.page.number, state.page.start, byteCount);
  handOver(state.entries);
  const endsOpenLine = byteCount > 0 && !state.endsInLineFeed;
  if (state.kernelFrom === Infinity) KERNEL.sum = countedSum.bind(undefined, state.counter);
  return {
    byteCount,
    charCount: state.charCount,
    lineFeedCount: state.lineFeedCount,
    lineCount: state.lineFeedCount + (endsOpenLine ? 1 : 0),
    pageCount: state.page.number,
    sum: sealSum(state.entries),
  };
}

/** Sums bytes of up to a block as it counts them, in the memory of a pass that has ended. */
function countedSum(
  { memory: { bytes, words, lanes, blockSums }, count }: StrideCounter,
  summed: Uint8Array,
) {
  bytes.set(summed, STRIDES_ADDRESS);
  const { length } = summed;
  const strideCount = Math.floor(length / STRIDE_BYTES);
  count(strideCount, 0);
  if (length === BLOCK_BYTES) return blockSums[0]!;
  bytes.fill(0, STRIDES_ADDRESS + length, STRIDES_ADDRESS + (strideCount + 1) * STRIDE_BYTES);
  feedRows(lanes, words, strideCount * STRIDE_BYTES, length);
  return finishLanes(lanes, length);
}

/** Feeds the bytes of the strides from one place up to another to the lanes. */
function feedRows(lanes: Int32Array, words: Int32Array, from: number, to: number): void {
  const rowCount = Math.ceil((to - from) / (LANE_COUNT * 4));
  const fromWord = (STRIDES_ADDRESS + from) / 4;
  feedLanes(lanes, words, fromWord, fromWord + rowCount * LANE_COUNT);
}

/** Scans the last, partial stride. */
function scanRest(state: ScanState, byteLength: number): void {
  const { bytes, words, lanes, totals, lineFeeds } = state.counter.memory;
  const restEnd = STRIDES_ADDRESS + byteLength;
  // Old bytes must not extend a char beyond the end.
  bytes.fill(0, restEnd, STRIDES_ADDRESS + STRIDE_BYTES);
  const ownedBefore = leadIn(bytes, STRIDES_ADDRESS, STRIDES_ADDRESS - GUARD_BYTES);
  if (state.byteOffset % BLOCK_BYTES === 0) {
    seedLanes(lanes);
    beginBlock(state.entries, state.charCount, state.lineFeedCount, ownedBefore);
  }
  if (endsControl(bytes, STRIDES_ADDRESS, restEnd)) noteControls(state.entries);
  totals[1] = countChars(bytes, STRIDES_ADDRESS + ownedBefore, restEnd);
  lineFeeds[0] = countLineFeeds(bytes.subarray(STRIDES_ADDRESS, restEnd));
  feedRows(lanes, words, 0, byteLength);
  cutCounted(state, 1, restEnd);
}
