/**
 * Between bytes, chars, lines and pages of stored content, by the block index: each question reads a few index pages
 * and a block or two, whatever the size of the content. All offsets count from 0, lines and pages from 1.
 *
 * The units: contract, Units. What a char is says `utf8_chars.ts`, where a page ends
 * `page_rule.ts`.
 *
 * @module
 */

import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import type { OpenContent } from "./open_content.ts";
import { endOfPage, endOfPageIn } from "../bytes/page_rule.ts";
import type { BlockEntry } from "../index/block_entries.ts";
import { countLineFeeds, offsetOfLineFeed } from "../bytes/line_feeds.ts";
import { countCharStarts, skipChars } from "../bytes/utf8_chars.ts";

const LINE_FEED = 0x0a;

/** Guesses before {@link lastBlock} bisects. */
const MOST_GUESSES = 6;

/**
 * The last block whose `before` is at most `value`. Block 0's is at most any value, so there always is one; `total` is what
 * `before` would be of a block after the last.
 *
 * Every look at an entry may read a page of the index, and bisection reads about one a step. Text is much the same
 * from end to end, so a guess in proportion comes close, and the next ones, between what is known, stay on its page.
 */
function lastBlock(
  content: OpenContent,
  before: (entry: BlockEntry) => number,
  value: number,
  total: number,
): number {
  let low = 0;
  let high = content.index.blockCount;
  let lowValue = 0;
  let highValue = total;
  // Invariant: before(low) <= value, and before(high) > value or high is the end.
  for (let guesses = 0; high - low > 1; guesses++) {
    const share = guesses < MOST_GUESSES ? (value - lowValue) / (highValue - lowValue) : 0.5;
    const guess = Math.min(high - 1, Math.max(low + 1, low + Math.floor((high - low) * share)));
    const guessValue = before(content.index.at(guess));
    if (guessValue <= value) {
      low = guess;
      lowValue = guessValue;
    } else {
      high = guess;
      highValue = guessValue;
    }
  }
  return low;
}

/** Whether block `block` has as many chars as bytes: then every byte starts one, and none needs to be looked at. */
function everyByteStarts({ index, entry }: OpenContent, block: number): boolean {
  const isLast = block + 1 === index.blockCount;
  const charsAfter = isLast ? entry.charCount : index.at(block + 1).charsBefore;
  const bytesAfter = isLast ? entry.byteCount : (block + 1) * BLOCK_BYTES;
  return charsAfter - index.at(block).charsBefore === bytesAfter - block * BLOCK_BYTES;
}

/** How many chars start before byte `byteOffset`, which must be 0, the content's end, or where a char starts. */
export function charsBeforeByte(content: OpenContent, byteOffset: number): number {
  if (byteOffset >= content.entry.byteCount) return content.entry.charCount;
  const block = Math.floor(byteOffset / BLOCK_BYTES);
  const { charsBefore, leadIn } = content.index.at(block);
  const within = byteOffset - block * BLOCK_BYTES;
  if (everyByteStarts(content, block)) return charsBefore + within;
  return charsBefore + (within > leadIn ? countCharStarts(content.block(block), leadIn, within) : 0);
}

/** Where char `charOffset` starts; the content's end for its char count. */
export function byteOfChar(content: OpenContent, charOffset: number): number {
  if (charOffset >= content.entry.charCount) return content.entry.byteCount;
  const block = lastBlock(content, (entry) => entry.charsBefore, charOffset, content.entry.charCount);
  const { charsBefore, leadIn } = content.index.at(block);
  const start = block * BLOCK_BYTES;
  if (everyByteStarts(content, block)) return start + charOffset - charsBefore;
  const bytes = content.block(block);
  return start + skipChars(bytes, leadIn, bytes.length, charOffset - charsBefore);
}

/** How many LF stand before byte `byteOffset`. */
function lineFeedsBeforeByte(content: OpenContent, byteOffset: number): number {
  if (byteOffset >= content.entry.byteCount) return content.entry.lineFeedCount;
  const block = Math.floor(byteOffset / BLOCK_BYTES);
  const { lineFeedsBefore } = content.index.at(block);
  const within = byteOffset - block * BLOCK_BYTES;
  return within === 0 ? lineFeedsBefore : lineFeedsBefore + countLineFeeds(content.block(block), within);
}

/** How many LF stand in bytes `[fromByte, toByte)`. */
export function lineFeedsBetween(content: OpenContent, fromByte: number, toByte: number): number {
  const block = Math.floor(fromByte / BLOCK_BYTES);
  const start = block * BLOCK_BYTES;
  if (toByte > start + BLOCK_BYTES) {
    return lineFeedsBeforeByte(content, toByte) - lineFeedsBeforeByte(content, fromByte);
  }
  return countLineFeeds(content.block(block).subarray(fromByte - start, toByte - start));
}

/** Whether the byte before `byteOffset` (1 or more) is an LF. */
export function endsLine(content: OpenContent, byteOffset: number): boolean {
  const last = byteOffset - 1;
  return content.block(Math.floor(last / BLOCK_BYTES))[last % BLOCK_BYTES] === LINE_FEED;
}

/** The number of the line that byte `byteOffset` stands in. */
export function lineOfByte(content: OpenContent, byteOffset: number): number {
  return lineFeedsBeforeByte(content, byteOffset) + 1;
}

/** Where LF number `lineFeed` (1 to the LF count) stands. */
function byteOfLineFeed(content: OpenContent, lineFeed: number): number {
  const total = content.entry.lineFeedCount;
  const block = lastBlock(content, (entry) => entry.lineFeedsBefore, lineFeed - 1, total);
  const bytes = content.block(block);
  const inBlock = lineFeed - content.index.at(block).lineFeedsBefore;
  return block * BLOCK_BYTES + offsetOfLineFeed(bytes, inBlock);
}

/** Where line `lineNumber` starts (1 to the line count); the content's end for anything beyond. */
export function byteOfLine(content: OpenContent, lineNumber: number): number {
  if (lineNumber <= 1) return 0;
  if (lineNumber > content.entry.lineCount) return content.entry.byteCount;
  return byteOfLineFeed(content, lineNumber - 1) + 1;
}

/** Where the page that starts at byte `pageStart` ends. */
function endOfPageAt(content: OpenContent, pageStart: number): number {
  const { entry } = content;
  const within = endOfPageInBlock(content, pageStart);
  if (within !== undefined) return within;
  const limitChar = charsBeforeByte(content, pageStart) + entry.pageSize;
  if (limitChar >= entry.charCount) return endOfPage(undefined, undefined, entry.byteCount);
  const limitByte = byteOfChar(content, limitChar);
  const lineFeeds = lineFeedsBeforeByte(content, limitByte);
  const lastLineFeed = lineFeeds === 0 ? -1 : byteOfLineFeed(content, lineFeeds);
  return endOfPage(limitByte, lastLineFeed >= pageStart ? lastLineFeed : undefined, entry.byteCount);
}

/** The same for a page that ends well inside the block it starts in; undefined for others. Reads a page, not a block. */
function endOfPageInBlock(content: OpenContent, pageStart: number): number | undefined {
  const block = Math.floor(pageStart / BLOCK_BYTES);
  const from = pageStart - block * BLOCK_BYTES;
  const { pageSize } = content.entry;
  // A char has at least one byte: where the block is that short, it need not be read to know.
  if (from + pageSize >= BLOCK_BYTES) return undefined;
  // Where the page reaches the block's end, a char may be cut there, and it is not known whether one more follows.
  const within = endOfPageIn(content.block(block), from, pageSize, everyByteStarts(content, block));
  return within === undefined ? undefined : block * BLOCK_BYTES + within;
}

/** Where page `pageNumber`, which starts at byte `pageStart`, ends. */
export function byteAfterPage(content: OpenContent, pageNumber: number, pageStart: number): number {
  return pageNumber < content.entry.pageCount ? endOfPageAt(content, pageStart) : content.entry.byteCount;
}

/** Where page `pageNumber` starts (1 to the page count); the content's end for anything beyond. */
export function byteOfPage(content: OpenContent, pageNumber: number): number {
  if (pageNumber <= 1) return 0;
  if (pageNumber > content.entry.pageCount) return content.entry.byteCount;
  const pageTotal = content.entry.pageCount + 1;
  const known = content.index.at(
    lastBlock(content, (entry) => entry.pageNumber, pageNumber, pageTotal),
  );
  let pageStart = known.pageStart;
  // A record that counts more pages than there are does not make this go on for ever.
  for (let page = known.pageNumber; page < pageNumber && pageStart < content.entry.byteCount; page++) {
    pageStart = endOfPageAt(content, pageStart);
  }
  return pageStart;
}
