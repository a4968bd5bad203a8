/**
 * Says which blocks locating and showing a slice will read, from the block index alone, so that content which cannot be
 * read at once is prepared for it. It may name a block more than is read, and none less.
 */

import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import type { BlockEntry } from "../index/block_entries.ts";
import { offsetOfCursor, type Slice, type SliceRequest, unitsOf } from "./locate_slice.ts";
import { type BlocksAmong, blocksWithin, everyByteStarts, narrow } from "./locate_text.ts";
import { CONTEXT_BYTES, sliceNeedsCleaning } from "./needs_cleaning_in.ts";
import type { OpenContent } from "./open_content.ts";

/** Blocks `[from, to)`. */
interface Blocks {
  from: number;
  to: number;
}

/** Blocks of a slice up to this many are prepared at once; of a longer one only its ends, to locate it. */
const MAX_WHOLE_BLOCKS = 4;

/** Prepares what `locateIn` will read; a short slice is prepared whole. Throws like `locateIn` for a wrong request. */
export async function prepareSlice(content: OpenContent, request: SliceRequest): Promise<void> {
  if ("all" in request) return;
  const [first, last] = "since" in request
    ? sinceEnds(content, request.since)
    : await unitEnds(content, request);
  if (last.to - first.from <= MAX_WHOLE_BLOCKS) {
    await content.prepare?.(first.from, Math.max(first.to, last.to));
  } else {
    await content.prepare?.(first.from, first.to);
    await content.prepare?.(last.from, last.to);
  }
}

/**
 * Prepares what bounding a located slice to `maxChars`, cleaning and reading it will read; a long slice is prepared while it
 * is read.
 */
export async function prepareShown(
  content: OpenContent,
  slice: Slice,
  maxChars: number | undefined,
): Promise<void> {
  const blocks = { from: blockOf(slice.fromByte), to: Math.ceil(slice.toByte / BLOCK_BYTES) };
  if (maxChars !== undefined && blocks.from < blocks.to) {
    const limit = await lastWithin(content, slice.fromByte, maxChars);
    blocks.to = Math.min(blocks.to, limit + 1);
  }
  // Of the cache of a shared store, what is shown is fetched before it is shown.
  const isWhole = maxChars !== undefined || content.prepareEntries !== undefined;
  if (isWhole || blocks.to - blocks.from <= MAX_WHOLE_BLOCKS) await content.prepare?.(blocks.from, blocks.to);
  await prepareCleaning(content, slice, blocks.to);
}

/** Prepares what deciding whether a slice is to be cleaned will read, and if it is, what cleaning will. */
async function prepareCleaning(content: OpenContent, slice: Slice, to: number): Promise<void> {
  const from = blockOf(slice.fromByte - (slice.continued ? CONTEXT_BYTES : 0));
  await content.prepareEntries?.(from, to);
  for (let block = from; block < to; block++) {
    // What the index does not describe is read.
    if (content.index.at(block).hasControls === undefined) return await content.prepare?.(from - 1, to);
  }
  const toByte = Math.min(slice.toByte, to * BLOCK_BYTES);
  if (sliceNeedsCleaning(content, { ...slice, toByte })) await content.prepare?.(from, to);
}

/** The block of a byte; 0 for one before the content. */
function blockOf(byteOffset: number): number {
  return Math.floor(Math.max(0, byteOffset) / BLOCK_BYTES);
}

function sinceEnds(content: OpenContent, cursor: number): [Blocks, Blocks] {
  const offset = offsetOfCursor(content.entry, cursor);
  const lastBlock = content.index.blockCount - 1;
  // A char that the cursor is in starts up to 3 bytes before it.
  const from = blockOf(offset - 4);
  return [
    { from, to: Math.min(blockOf(offset), lastBlock) + 1 },
    { from: Math.max(from, lastBlock), to: lastBlock + 1 },
  ];
}

type UnitRequest = Parameters<typeof unitsOf>[1];

async function unitEnds(content: OpenContent, request: UnitRequest): Promise<[Blocks, Blocks]> {
  const { mode, start, count } = unitsOf(content.entry, request);
  switch (mode) {
    case "line":
      return [await lineEnd(content, start), await lineEnd(content, start + count)];
    case "char":
      return [await charEnd(content, start), await charEnd(content, start + count)];
    case "page":
      return [await pageStart(content, start, count === 1), await pageStart(content, start + count, false)];
  }
}

async function lineEnd(content: OpenContent, line: number): Promise<Blocks> {
  const { lineFeedCount } = content.entry;
  const lineFeed = line - 1;
  const block = lineFeed < 1
    ? 0
    : lineFeed > lineFeedCount
    ? content.index.blockCount - 1
    : await lastBlock(content, (entry) => entry.lineFeedsBefore, lineFeed - 1, lineFeedCount);
  return { from: block, to: block + 1 };
}

async function charEnd(content: OpenContent, char: number): Promise<Blocks> {
  const block = await blockOfChar(content, char);
  const { charsBefore } = await entryAt(content, block);
  // The byte before a char may be in the block before.
  return { from: charsBefore === char ? Math.max(0, block - 1) : block, to: block + 1 };
}

/** The blocks that finding the start of a page reads, and with `withEnd` also its end. */
async function pageStart(content: OpenContent, page: number, withEnd: boolean): Promise<Blocks> {
  const { pageCount, pageSize } = content.entry;
  const lastOfAll = content.index.blockCount - 1;
  if (page > pageCount) return { from: lastOfAll, to: lastOfAll + 1 };
  const block = page <= 1 ? 0 : await lastBlock(content, (entry) => entry.pageNumber, page, pageCount + 1);
  const known = await entryAt(content, block);
  const isKnown = page <= 1 || known.pageNumber === page;
  const from = blockOf(known.pageStart - 1);
  if (isKnown && !withEnd) return { from, to: blockOf(known.pageStart) + 1 };
  // Otherwise the page begins in this block, or right after it.
  const startByte = isKnown ? known.pageStart : (block + 1) * BLOCK_BYTES;
  await prepareWithin(content, known.pageStart, pageSize);
  return { from, to: await lastWithin(content, startByte, pageSize) + 1 };
}

/** Prepares the entries of the blocks in which char `charCount` after byte `fromByte` may start. */
async function prepareWithin(
  content: OpenContent,
  fromByte: number,
  charCount: number,
): Promise<BlocksAmong> {
  const among = blocksWithin(fromByte, charCount);
  await content.prepareEntries?.(among.low, among.high + 1);
  return among;
}

/** The last block in which char `charCount` after byte `fromByte` may start, as far as the index tells. */
async function lastWithin(content: OpenContent, fromByte: number, charCount: number): Promise<number> {
  const { high } = await prepareWithin(content, fromByte, charCount);
  const end = Math.min(high, content.index.blockCount);
  const limit = charsUpTo(content, fromByte) + charCount;
  let block = Math.min(blockOf(fromByte), end - 1);
  while (block + 1 < end && content.index.at(block + 1).charsBefore <= limit) block++;
  return block;
}

/** The chars before a byte, or before the end of its block. */
function charsUpTo(content: OpenContent, byteOffset: number): number {
  const block = blockOf(byteOffset);
  const { blockCount } = content.index;
  if (block >= blockCount) return content.entry.charCount;
  const { charsBefore } = content.index.at(block);
  if (everyByteStarts(content, block)) return charsBefore + byteOffset - block * BLOCK_BYTES;
  return block + 1 === blockCount ? content.entry.charCount : content.index.at(block + 1).charsBefore;
}

/** The block of a char; the last for one beyond the end. */
async function blockOfChar(content: OpenContent, char: number): Promise<number> {
  const { charCount } = content.entry;
  if (char >= charCount) return content.index.blockCount - 1;
  return await lastBlock(content, (entry) => entry.charsBefore, char, charCount);
}

async function entryAt(content: OpenContent, block: number): Promise<BlockEntry> {
  await content.prepareEntries?.(block, block + 1);
  return content.index.at(block);
}

/** The same as `lastBlock` of `locate_text.ts`, with each entry prepared before it is looked at. */
async function lastBlock(
  content: OpenContent,
  before: (entry: BlockEntry) => number,
  value: number,
  total: number,
): Promise<number> {
  const high = content.index.blockCount;
  const range = { low: 0, high, lowValue: 0, highValue: total, guess: 0, guesses: 0 };
  for (let isOpen = narrow(range, value); isOpen;) {
    isOpen = narrow(range, value, before(await entryAt(content, range.guess)));
  }
  // What is looked at next is often on the page of this block or of the next.
  await content.prepareEntries?.(range.low, Math.min(range.low + 2, content.index.blockCount));
  return range.low;
}
