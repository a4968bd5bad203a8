/**
 * Cuts pages (contract, Units) from counted strides. The running totals say whether a page's limit is in them. A char
 * always starts after an LF, so the number of that char follows from the chars between it and the end of its stride.
 *
 * `scan_kernel.as.ts` implements the same and must give the same result.
 */

import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import { endOfPage } from "../bytes/page_rule.ts";
import {
  addressOfStride,
  GUARD_BYTES,
  STRIDE_BYTES,
  type StrideMemory,
  STRIDES_ADDRESS,
} from "./stride_memory.ts";
import { countChars, leadIn, skipChars } from "../bytes/utf8_chars.ts";

const LINE_FEED = 10;

/** The current page. */
export interface OpenPage {
  pageSize: number;
  /** Page number from 1. */
  number: number;
  /** Byte offset of its start. */
  start: number;
  /** Number of the page's first char + P. If that char exists, the page does not take the rest of the content. */
  limitChar: number;
  /** Byte offset of the last LF seen (below `start` if the page has none), and the number of the char after it. */
  lineFeedByte: number;
  lineFeedNextChar: number;
}

export interface CountedStrides {
  /** Number of strides; the last may be padded. */
  strideCount: number;
  /** Address where their content ends. */
  endAddress: number;
  /** Content offset of the first stride. */
  byteOffset: number;
  /** Chars that start before the first stride. */
  charsBefore: number;
}

/** Called with the number, start and end of a page that ended (byte offsets). */
export type OnPage = (pageNumber: number, pageStart: number, pageEnd: number) => void;

/** Implements `cutPages` of `StrideCounter` for strides in `memory`. */
export function cutPages(
  memory: StrideMemory,
  page: OpenPage,
  strides: CountedStrides,
  firstBlock: number,
  onPage: OnPage,
): void {
  const { strideCount, charsBefore } = strides;
  const { totals, lineFeeds, bytes } = memory;
  let nextBlock = firstBlock;
  const offsetOfAddressZero = strides.byteOffset - STRIDES_ADDRESS;
  const charCount = totals[strideCount]!;
  // A char's number within the strides and its start: the last limit, or else the first char.
  let knownChar = 0;
  let knownStart = STRIDES_ADDRESS + leadIn(bytes, STRIDES_ADDRESS, STRIDES_ADDRESS - GUARD_BYTES);
  while (page.limitChar - charsBefore < charCount) {
    const limitChar = page.limitChar - charsBefore;
    const limit = skipChars(bytes, knownStart, strides.endAddress, limitChar - knownChar);
    knownChar = limitChar;
    knownStart = limit;
    if (lineFeeds[0]! > 0) {
      const from = Math.max(STRIDES_ADDRESS, page.start - offsetOfAddressZero);
      noteLastLineFeed(memory, page, strides, from, limit);
    }
    const lineFeedByte = page.lineFeedByte >= page.start ? page.lineFeedByte : undefined;
    const pageEnd = endOfPage(
      limit + offsetOfAddressZero,
      lineFeedByte,
      strides.endAddress + offsetOfAddressZero,
    );
    if (pageEnd > nextBlock) {
      onPage(page.number, page.start, pageEnd);
      nextBlock += Math.ceil((pageEnd - nextBlock) / BLOCK_BYTES) * BLOCK_BYTES;
    }
    page.number++;
    page.start = pageEnd;
    page.limitChar = (lineFeedByte === undefined ? page.limitChar : page.lineFeedNextChar) + page.pageSize;
  }
  if (lineFeeds[0]! > 0) noteLastLineFeed(memory, page, strides, STRIDES_ADDRESS, strides.endAddress);
}

/** Records the last LF in bytes `[from, to)`, if any. */
function noteLastLineFeed(
  { bytes, totals }: StrideMemory,
  page: OpenPage,
  strides: CountedStrides,
  from: number,
  to: number,
): void {
  let lineFeed = to - 1;
  while (lineFeed >= from && bytes[lineFeed] !== LINE_FEED) lineFeed--;
  if (lineFeed < from) return;
  const stride = Math.floor((lineFeed - STRIDES_ADDRESS) / STRIDE_BYTES);
  const strideEnd = addressOfStride(stride + 1);
  const charsAfter = countChars(bytes, lineFeed + 1, Math.min(strideEnd, strides.endAddress));
  page.lineFeedByte = strides.byteOffset + lineFeed - STRIDES_ADDRESS;
  page.lineFeedNextChar = strides.charsBefore + totals[stride + 1]! - charsAfter;
}

/**
 * Counts the strides in its own memory and cuts pages from them. There are two, plain code (`count_strides.ts`) and the
 * kernel (`scan_kernel.ts`), which must agree.
 */
export interface StrideCounter {
  memory: StrideMemory;
  /**
   * Sets the totals of the first `strideCount` strides and sums their blocks; the first is stride `strideInBlock`
   * (from 0) of its block. Sets the lead-in (`leadIns`) of each block that starts in them and the sum (`blockSums`)
   * of each that ends; the lanes are left with what was fed of an unfinished block. The 3 bytes before the first
   * stride must be present.
   */
  count(strideCount: number, strideInBlock: number): void;
  /**
   * Ends the pages whose limit is in `strides`, and reports those in which a block starts. The first such block
   * starts at byte offset `firstBlock`.
   */
  cutPages(page: OpenPage, strides: CountedStrides, firstBlock: number, onPage: OnPage): void;
}
