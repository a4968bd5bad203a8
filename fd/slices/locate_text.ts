/**
 * Converts between bytes, chars, lines and pages of stored content with the block index: each look-up reads a few
 * index pages and one or two blocks, whatever the content's size. Offsets count from 0, lines and pages from 1.
 *
 * Units: contract, Units; chars are defined by `utf8_chars.ts`, page ends by `page_rule.ts`.
 */

import { BLOCK_BYTES, blockAt } from "../bytes/block_sum.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import type { OpenContent } from "./open_content.ts";
import { endOfPage, endOfPageIn } from "../bytes/page_rule.ts";
import { countLineFeeds, offsetOfLineFeed } from "../bytes/line_feeds.ts";
import { countChars, skipChars } from "../bytes/utf8_chars.ts";

const LINE_FEED = 0x0a;

const MAX_CHAR_BYTES = 4;

/** Guesses before {@link lastBlock} falls back to bisection. */
const MAX_GUESSES = 6;

/** Blocks `[low, high)`, of which those beyond the content do not count. */
interface BlocksAmong {
  low: number;
  high: number;
}

/** Returns the blocks in which char `charCount` after the one at byte `fromByte` starts, whatever the chars are. */
export function blocksWithin(fromByte: number, charCount: number): BlocksAmong {
  return {
    low: blockAt(fromByte),
    high: blockAt(fromByte + MAX_CHAR_BYTES * charCount) + 1,
  };
}

/** A search for a block: before(low) <= value, and before(high) > value or high is the end. */
interface BlockRange {
  low: number;
  high: number;
  lowValue: number;
  highValue: number;
  /** The block that is looked at. */
  guess: number;
  guesses: number;
}

/**
 * Narrows `range` by the `before` of its guess, and makes the next one, between low and high. Returns false if there is none.
 * Each entry may be on another index page, and bisection reads about one page per step. Text is similar throughout, so
 * a proportional guess comes close, and the next ones, between known entries, stay on its page.
 */
function narrow(range: BlockRange, value: number, guessValue?: number): boolean {
  if (guessValue !== undefined) {
    range.guesses++;
    if (guessValue <= value) {
      range.low = range.guess;
      range.lowValue = guessValue;
    } else {
      range.high = range.guess;
      range.highValue = guessValue;
    }
  }
  const { low, high, lowValue, highValue } = range;
  if (high - low <= 1) return false;
  const share = range.guesses < MAX_GUESSES ? (value - lowValue) / (highValue - lowValue) : 0.5;
  range.guess = Math.min(high - 1, Math.max(low + 1, low + Math.floor((high - low) * share)));
  return true;
}

/**
 * Returns the last block whose `before` is at most `value`. It always exists, since block 0's is at most any value;
 * `total` is the `before` of a block after the last. It is looked for in `among`, in which it must be.
 */
function lastBlock(
  content: OpenContent,
  before: "charsBefore" | "lineFeedsBefore" | "pageNumber",
  value: number,
  total: number,
  among?: BlocksAmong,
): number {
  const { index } = content;
  const low = among?.low ?? 0;
  const high = among !== undefined && among.high < index.blockCount ? among.high : index.blockCount;
  if (high - low <= 1) return low;
  const range = {
    low,
    high,
    lowValue: low === 0 ? 0 : index.at(low)[before],
    highValue: high === index.blockCount ? total : index.at(high)[before],
    guess: low,
    guesses: 0,
  };
  for (let isOpen = narrow(range, value); isOpen;) {
    isOpen = narrow(range, value, index.at(range.guess)[before]);
  }
  return range.low;
}

/** Whether block `block` has as many chars as bytes: then every byte starts one, and none needs to be read. */
function everyByteStarts({ index, entry }: OpenContent, block: number): boolean {
  const isLast = block + 1 === index.blockCount;
  const charsAfter = isLast ? entry.charCount : index.at(block + 1).charsBefore;
  const bytesAfter = isLast ? entry.byteCount : (block + 1) * BLOCK_BYTES;
  return charsAfter - index.at(block).charsBefore === bytesAfter - block * BLOCK_BYTES;
}

/**
 * Counts the chars that start before byte `byteOffset`, which must be 0, the content's end, or the start of a char.
 */
export function charsBeforeByte(content: OpenContent, byteOffset: number): number {
  if (byteOffset >= content.entry.byteCount) return content.entry.charCount;
  const block = blockAt(byteOffset);
  const { charsBefore, leadIn } = content.index.at(block);
  const within = byteOffset - block * BLOCK_BYTES;
  if (everyByteStarts(content, block)) return charsBefore + within;
  return charsBefore + (within > leadIn ? countChars(content.block(block), leadIn, within) : 0);
}

/**
 * Returns the start of char `charOffset`; the content's end if it equals the char count. It is looked for in `among`.
 */
export function byteOfChar(content: OpenContent, charOffset: number, among?: BlocksAmong): number {
  const { charCount } = content.entry;
  if (charOffset >= charCount) return content.entry.byteCount;
  const block = lastBlock(content, "charsBefore", charOffset, charCount, among);
  const { charsBefore, leadIn } = content.index.at(block);
  const start = block * BLOCK_BYTES;
  if (everyByteStarts(content, block)) return start + charOffset - charsBefore;
  const bytes = content.block(block);
  return start + skipChars(bytes, leadIn, bytes.length, charOffset - charsBefore);
}

/** Counts the LF before byte `byteOffset`. */
function lineFeedsBeforeByte(content: OpenContent, byteOffset: number): number {
  if (byteOffset >= content.entry.byteCount) return content.entry.lineFeedCount;
  const block = blockAt(byteOffset);
  const { lineFeedsBefore } = content.index.at(block);
  const within = byteOffset - block * BLOCK_BYTES;
  return within === 0 ? lineFeedsBefore : lineFeedsBefore + countLineFeeds(content.block(block), within);
}

/** Counts the LF in bytes `[fromByte, toByte)`. */
export function lineFeedsBetween(content: OpenContent, fromByte: number, toByte: number): number {
  const block = blockAt(fromByte);
  const start = block * BLOCK_BYTES;
  if (toByte > start + BLOCK_BYTES) {
    return lineFeedsBeforeByte(content, toByte) - lineFeedsBeforeByte(content, fromByte);
  }
  return countLineFeeds(content.block(block).subarray(fromByte - start, toByte - start));
}

/** Whether the byte before `byteOffset` (1 or more) is an LF. */
export function endsLine(content: OpenContent, byteOffset: number): boolean {
  const last = byteOffset - 1;
  return content.block(blockAt(last))[last % BLOCK_BYTES] === LINE_FEED;
}

/** Returns the number of the line that byte `byteOffset` is in. */
export function lineOfByte(content: OpenContent, byteOffset: number): number {
  return lineFeedsBeforeByte(content, byteOffset) + 1;
}

/** Returns the offset of LF number `lineFeed` (1 to the LF count). */
function byteOfLineFeed(content: OpenContent, lineFeed: number, among?: BlocksAmong): number {
  const total = content.entry.lineFeedCount;
  const block = lastBlock(content, "lineFeedsBefore", lineFeed - 1, total, among);
  const bytes = content.block(block);
  const inBlock = lineFeed - content.index.at(block).lineFeedsBefore;
  return block * BLOCK_BYTES + offsetOfLineFeed(bytes, inBlock);
}

/**
 * Returns the start of line `lineNumber` (1 to the line count); the content's end beyond that. The line feed before it is
 * looked for in `among`.
 */
export function byteOfLine(content: OpenContent, lineNumber: number, among?: BlocksAmong): number {
  if (lineNumber <= 1) return 0;
  if (lineNumber > content.entry.lineCount) return content.entry.byteCount;
  return byteOfLineFeed(content, lineNumber - 1, among) + 1;
}

/** Returns the end of the page that starts at byte `pageStart`. */
function endOfPageAt(content: OpenContent, pageStart: number): number {
  const { entry } = content;
  const within = endOfPageInBlock(content, pageStart);
  if (within !== undefined) return within;
  const limitChar = charsBeforeByte(content, pageStart) + entry.pageSize;
  if (limitChar >= entry.charCount) return endOfPage(undefined, undefined, entry.byteCount);
  const among = blocksWithin(pageStart, entry.pageSize);
  const limitByte = byteOfChar(content, limitChar, among);
  const lineFeeds = lineFeedsBeforeByte(content, limitByte);
  const hasLineFeed = lineFeeds > lineFeedsBeforeByte(content, pageStart);
  return endOfPage(
    limitByte,
    hasLineFeed ? byteOfLineFeed(content, lineFeeds, among) : undefined,
    entry.byteCount,
  );
}

/**
 * Returns the end of a page that ends well inside the block it starts in, or undefined. Decodes the page, not the
 * block.
 */
function endOfPageInBlock(content: OpenContent, pageStart: number): number | undefined {
  const block = blockAt(pageStart);
  const from = pageStart - block * BLOCK_BYTES;
  const { pageSize } = content.entry;
  // A char has at least one byte, so the page cannot end before the block does.
  if (from + pageSize >= BLOCK_BYTES) return undefined;
  // If the page reaches the block's end, a char may be cut there, and whether another one follows is unknown.
  const within = endOfPageIn(content.block(block), from, pageSize, everyByteStarts(content, block));
  return within === undefined ? undefined : block * BLOCK_BYTES + within;
}

/** Returns the end of page `pageNumber`, which starts at byte `pageStart`. */
export function byteAfterPage(content: OpenContent, pageNumber: number, pageStart: number): number {
  return pageNumber < content.entry.pageCount ? endOfPageAt(content, pageStart) : content.entry.byteCount;
}

/** Whether the line that ends at `toByte` has an LF: only the content's last line may lack it. */
export function hasLineFeed({ byteCount, lineCount, lineFeedCount }: FdEntry, toByte: number): boolean {
  return toByte < byteCount || lineFeedCount === lineCount;
}

/** Returns the start of page `pageNumber` (1 to the page count); the content's end beyond that. */
export function byteOfPage(content: OpenContent, pageNumber: number): number {
  if (pageNumber <= 1) return 0;
  if (pageNumber > content.entry.pageCount) return content.entry.byteCount;
  const pageTotal = content.entry.pageCount + 1;
  const known = content.index.at(lastBlock(content, "pageNumber", pageNumber, pageTotal));
  let pageStart = known.pageStart;
  // The second condition ends the loop if the record's page count is too high.
  for (let page = known.pageNumber; page < pageNumber && pageStart < content.entry.byteCount; page++) {
    pageStart = endOfPageAt(content, pageStart);
  }
  return pageStart;
}
