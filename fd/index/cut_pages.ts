/**
 * Cuts pages (contract, Units) out of strides that were counted. Which stride a page's limit is in follows from
 * the running totals; only there does anybody look for the byte. After an LF a char starts for certain, so the number of
 * the char after it follows from the chars between it and the end of its stride.
 *
 * This is the plain way; `scan_kernel.wat` has another, which must give the same.
 *
 * @module
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
import { countCharStarts, leadIn, skipChars } from "../bytes/utf8_chars.ts";

const LINE_FEED = 10;

/** The page under way. */
export interface OpenPage {
  pageSize: number;
  /** From 1. */
  number: number;
  /** The byte offset of its start. */
  start: number;
  /** The number of the char whose start says that the page does not take the rest: its first char + P. */
  limitChar: number;
  /** The byte offset of the last LF seen, less than `start` for none in the page; and the number of the char after it. */
  lineFeedByte: number;
  lineFeedNextChar: number;
}

/** Strides that were counted. */
export interface CountedStrides {
  /** How many strides there are; the last may be filled up with other bytes. */
  strideCount: number;
  /** The address where the content in them ends. */
  endAddress: number;
  /** The content offset of the first stride. */
  byteOffset: number;
  /** How many chars start before the first stride. */
  charsBefore: number;
}

/** Is told of a page that ended: its number, and the byte offsets of its start and end. */
export type OnPage = (pageNumber: number, pageStart: number, pageEnd: number) => void;

/** The page under way before any content. */
export function firstPage(pageSize: number): OpenPage {
  return {
    pageSize,
    number: 1,
    start: 0,

    limitChar: pageSize,
    lineFeedByte: -1,
    lineFeedNextChar: 0,
  };
}

/** `cutPages` of `StrideCounter`, for strides in `memory`. */
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
  let stride = -1;
  // A char's number in the strides, and where it starts: the last limit in this stride, or else its first char.
  let knownChar = 0;
  let knownStart = 0;
  while (page.limitChar - charsBefore < charCount) {
    const limitChar = page.limitChar - charsBefore;
    const strideOfLimit = strideOfChar(totals, Math.max(stride, 0), strideCount, limitChar);
    const strideAddress = addressOfStride(strideOfLimit);
    if (strideOfLimit !== stride) {
      stride = strideOfLimit;
      knownChar = totals[stride]!;
      knownStart = strideAddress + leadIn(bytes, strideAddress, strideAddress - GUARD_BYTES);
    }
    const limit = everyByteStarts(totals, stride)
      ? strideAddress + limitChar - totals[stride]!
      : skipChars(bytes, knownStart, strideAddress + STRIDE_BYTES, limitChar - knownChar);
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
  if (lineFeeds[0]! > 0) {
    noteLastLineFeed(memory, page, strides, STRIDES_ADDRESS, strides.endAddress);
  }
}

/** Notes the last LF in bytes `[from, to)`, if there is one. */
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
  const charsAfter = everyByteStarts(totals, stride)
    ? strideEnd - lineFeed - 1
    : countCharStarts(bytes, lineFeed + 1, Math.min(strideEnd, strides.endAddress));
  page.lineFeedByte = strides.byteOffset + lineFeed - STRIDES_ADDRESS;
  page.lineFeedNextChar = strides.charsBefore + totals[stride + 1]! - charsAfter;
}

/** Whether every byte of the stride starts a char, as in ASCII. Then chars need not be looked for. */
function everyByteStarts(totals: Int32Array, stride: number): boolean {
  return totals[stride + 1]! - totals[stride]! === STRIDE_BYTES;
}

/** The first stride, not before `fromStride`, up to whose end more than `char` chars start. There must be one. */
function strideOfChar(totals: Int32Array, fromStride: number, strideCount: number, char: number): number {
  // A stride has at most 256 chars. Where each had that many (ASCII), this is the answer.
  let low = Math.max(fromStride, Math.floor(char / STRIDE_BYTES));
  if (totals[low + 1]! > char) return low;
  let high = strideCount - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (totals[middle + 1]! > char) high = middle;
    else low = middle + 1;
  }
  return low;
}
