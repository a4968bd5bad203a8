/**
 * Cuts pages (the contract's section 2) out of strides that a {@link StrideCounter} has counted. Which stride a page's
 * limit is in follows from the running totals; only there does anybody look for the byte. After an LF a char starts
 * for certain, so the number of the char after it follows from the chars between it and the end of its stride.
 *
 * @module
 */

import { endOfPage } from "./page_rule.ts";
import {
  addressOfStride,
  GUARD_BYTES,
  STRIDE_BYTES,
  type StrideCounter,
  STRIDES_ADDRESS,
} from "./stride_memory.ts";
import { leadIn } from "./utf8_chars.ts";

/** The page under way. */
export interface OpenPage {
  pageSize: number;
  /** From 1. */
  number: number;
  /** The byte offset of its start. */
  start: number;
  /** The number of the char whose start says that the page does not take the rest: its first char + P. */
  limitChar: number;
  /** The byte offset of the last LF seen, -1 for none; and the number of the char after it. */
  lineFeedByte: number;
  lineFeedNextChar: number;
}

/** Strides that were counted. */
export interface CountedStrides {
  counter: StrideCounter;
  /** How many strides there are; the last may be filled up with other bytes. */
  strideCount: number;
  /** The address where the content in them ends. */
  endAddress: number;
  /** The content offset of the first stride. */
  byteOffset: number;
  /** How many chars start before the first stride. */
  charsBefore: number;
}

/** The page under way before any content. */
export function firstPage(pageSize: number): OpenPage {
  return { pageSize, number: 1, start: 0, limitChar: pageSize, lineFeedByte: -1, lineFeedNextChar: 0 };
}

/** Ends every page whose limit is in the strides. `onPageEnd` is told the byte offset of the end before `page` moves on. */
export function cutPages(
  page: OpenPage,
  strides: CountedStrides,
  onPageEnd: (pageEnd: number) => void,
): void {
  const { counter, strideCount, charsBefore } = strides;
  const { totals, bytes } = counter.memory;
  const offsetOfAddressZero = strides.byteOffset - STRIDES_ADDRESS;
  const charCount = totals[2 * strideCount]!;
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
      knownChar = totals[2 * stride]!;
      knownStart = strideAddress + leadIn(bytes, strideAddress, strideAddress - GUARD_BYTES);
    }
    const limit = everyByteStarts(totals, stride)
      ? strideAddress + limitChar - totals[2 * stride]!
      : counter.skipChars(knownStart, strideAddress + STRIDE_BYTES, limitChar - knownChar);
    knownChar = limitChar;
    knownStart = limit;
    if (totals[2 * stride + 3]! > 0) {
      noteLastLineFeed(page, strides, Math.max(STRIDES_ADDRESS, page.start - offsetOfAddressZero), limit);
    }
    const lineFeedByte = page.lineFeedByte >= page.start ? page.lineFeedByte : undefined;
    const pageEnd = endOfPage(
      limit + offsetOfAddressZero,
      lineFeedByte,
      strides.endAddress + offsetOfAddressZero,
    );
    onPageEnd(pageEnd);
    page.number++;
    page.start = pageEnd;
    page.limitChar = (lineFeedByte === undefined ? page.limitChar : page.lineFeedNextChar) + page.pageSize;
  }
  if (totals[2 * strideCount + 1]! > 0) noteLastLineFeed(page, strides, STRIDES_ADDRESS, strides.endAddress);
}

/** Notes the last LF in bytes `[from, to)`, if there is one. */
function noteLastLineFeed(page: OpenPage, strides: CountedStrides, from: number, to: number): void {
  const { counter } = strides;
  const { totals } = counter.memory;
  const lineFeed = counter.lastLineFeed(from, to);
  if (lineFeed < 0) return;
  const stride = Math.floor((lineFeed - STRIDES_ADDRESS) / STRIDE_BYTES);
  const strideEnd = addressOfStride(stride + 1);
  const charsAfter = everyByteStarts(totals, stride)
    ? strideEnd - lineFeed - 1
    : counter.countCharStarts(lineFeed + 1, Math.min(strideEnd, strides.endAddress));
  page.lineFeedByte = strides.byteOffset + lineFeed - STRIDES_ADDRESS;
  page.lineFeedNextChar = strides.charsBefore + totals[2 * (stride + 1)]! - charsAfter;
}

/** Whether every byte of the stride starts a char, as in ASCII. Then chars need not be looked for. */
function everyByteStarts(totals: Int32Array, stride: number): boolean {
  return totals[2 * (stride + 1)]! - totals[2 * stride]! === STRIDE_BYTES;
}

/** The first stride, not before `fromStride`, up to whose end more than `char` chars start. There must be one. */
function strideOfChar(totals: Int32Array, fromStride: number, strideCount: number, char: number): number {
  // A stride has at most 256 chars. Where each had that many (ASCII), this is the answer.
  let low = Math.max(fromStride, Math.floor(char / STRIDE_BYTES));
  if (totals[2 * (low + 1)]! > char) return low;
  let high = strideCount - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (totals[2 * (middle + 1)]! > char) high = middle;
    else low = middle + 1;
  }
  return low;
}
