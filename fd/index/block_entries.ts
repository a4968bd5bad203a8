/**
 * Makes the entries of the block index (FORMAT.md) while content goes by. An entry has two things that come late: the
 * block's sum, at the block's end, and the page that its first byte belongs to, which may end far beyond it. So entries
 * wait in a queue, in order, until both are known. (A page has at most 16,777,216 chars of 4 bytes, so at most 2,049
 * entries wait.)
 *
 * @module
 */

import { BLOCK_BYTES, feedLanes, finishLanes, LANE_COUNT, seedLanes } from "../bytes/block_sum.ts";

/** One entry of the block index: what is known where a block of content starts. */
export interface BlockEntry {
  /** Chars that start before the block. */
  charsBefore: number;
  /** LF before the block. */
  lineFeedsBefore: number;
  /** The page (from 1) that the block's first byte belongs to. */
  pageNumber: number;
  /** The byte offset where that page starts. */
  pageStart: number;
  /** The block sum of the block's bytes, 0 to 2^32 - 1. */
  blockSum: number;
  /** Bytes at the block's start (0 to 3) of a char that started before it. */
  leadIn: number;
}

/** Whether both say the same of a block. */
export function sameEntry(one: BlockEntry, other: BlockEntry): boolean {
  return one.charsBefore === other.charsBefore && one.lineFeedsBefore === other.lineFeedsBefore &&
    one.pageNumber === other.pageNumber && one.pageStart === other.pageStart &&
    one.blockSum === other.blockSum && one.leadIn === other.leadIn;
}

/** The entries of one content. */
export interface BlockEntries {
  onEntry(entry: BlockEntry): void;
  /** Not handed over yet. */
  waiting: BlockEntry[];
  /** How many were handed over, of how many the page is known, and of how many the sum. */
  handedCount: number;
  pagedCount: number;
  summedCount: number;
  /** The lanes of the sum of all block sums, and the sums that are not in them yet, less than a row. */
  sealLanes: Int32Array;
  sealRow: Int32Array;
}

/** No entry yet. Each will be given to `onEntry` once, in order, from that of block `firstBlock` on. */
export function startEntries(onEntry: (entry: BlockEntry) => void, firstBlock: number): BlockEntries {
  const sealLanes = new Int32Array(LANE_COUNT);
  seedLanes(sealLanes);
  return {
    onEntry,
    waiting: [],
    handedCount: firstBlock,
    pagedCount: firstBlock,
    summedCount: firstBlock,
    sealLanes,
    sealRow: new Int32Array(LANE_COUNT),
  };
}

/** A block starts. */
export function beginBlock(
  entries: BlockEntries,
  charsBefore: number,
  lineFeedsBefore: number,
  leadIn: number,
): void {
  entries.waiting.push({ charsBefore, lineFeedsBefore, pageNumber: 0, pageStart: 0, blockSum: 0, leadIn });
}

/** The block that started last ends. */
export function endBlock(entries: BlockEntries, blockSum: number): void {
  entries.waiting[entries.summedCount - entries.handedCount]!.blockSum = blockSum;
  entries.sealRow[entries.summedCount % LANE_COUNT] = blockSum;
  entries.summedCount++;
  if (entries.summedCount % LANE_COUNT === 0) feedLanes(entries.sealLanes, entries.sealRow, 0, LANE_COUNT);
}

/** The byte offset of the first block whose page is not known. */
export function firstUnpaged({ pagedCount }: BlockEntries): number {
  return pagedCount * BLOCK_BYTES;
}

/** A page ends at byte offset `pageEnd`: tells the entries whose blocks start in it. */
export function knowPage(
  entries: BlockEntries,
  pageNumber: number,
  pageStart: number,
  pageEnd: number,
): void {
  const { waiting, handedCount } = entries;
  const startedCount = handedCount + waiting.length;
  while (entries.pagedCount < startedCount && firstUnpaged(entries) < pageEnd) {
    const entry = waiting[entries.pagedCount - handedCount]!;
    entry.pageNumber = pageNumber;
    entry.pageStart = pageStart;
    entries.pagedCount++;
  }
}

/** Hands over the entries that are whole. */
export function handOver(entries: BlockEntries): void {
  const wholeCount = Math.min(entries.pagedCount, entries.summedCount) - entries.handedCount;
  if (wholeCount === 0) return;
  for (let each = 0; each < wholeCount; each++) entries.onEntry(entries.waiting[each]!);
  entries.waiting.splice(0, wholeCount);
  entries.handedCount += wholeCount;
}

/** The block sum of the list of all block sums (the seal line's `sum`), once every entry was handed over. */
export function sealSum({ sealLanes, sealRow, handedCount }: BlockEntries): number {
  const restCount = handedCount % LANE_COUNT;
  // FORMAT.md pads with zeros to a whole row.
  if (restCount > 0) feedLanes(sealLanes, sealRow.fill(0, restCount), 0, LANE_COUNT);
  return finishLanes(sealLanes, handedCount * 4);
}
