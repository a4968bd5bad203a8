/**
 * Builds block index entries (FORMAT.md) while content streams through. Two fields are known late: the block's sum,
 * at its end, and the page its first byte belongs to, which may end far beyond it. So entries wait in a queue until
 * both are known. (A page has at most 16,777,216 chars of 4 bytes, so at most 2,049 entries wait.)
 */

import { BLOCK_BYTES, feedLanes, finishLanes, LANE_COUNT, seedLanes } from "../bytes/block_sum.ts";

/** An entry of the block index: counts at the start of a block. */
export interface BlockEntry {
  /** Chars that start before the block. */
  charsBefore: number;
  /** LF before the block. */
  lineFeedsBefore: number;
  /** The page (from 1) that the block's first byte belongs to. */
  pageNumber: number;
  /** Byte offset where that page starts. */
  pageStart: number;
  /** Block sum, 0 to 2^32 - 1. */
  blockSum: number;
  /** Bytes at the block's start (0 to 3) that belong to a char that started before it. */
  leadIn: number;
  /**
   * Whether a control character other than TAB and LF ends in the block, so that its clean view may differ; undefined
   * if that was not looked at.
   */
  hasControls: boolean | undefined;
}

/** Whether two entries are equal, as far as both are known. */
export function sameEntry(one: BlockEntry, other: BlockEntry): boolean {
  return one.charsBefore === other.charsBefore && one.lineFeedsBefore === other.lineFeedsBefore &&
    one.pageNumber === other.pageNumber && one.pageStart === other.pageStart &&
    one.blockSum === other.blockSum && one.leadIn === other.leadIn &&
    (one.hasControls ?? other.hasControls) === (other.hasControls ?? one.hasControls);
}

/** Entries of one content while they are built. */
export type BlockEntries = ReturnType<typeof startEntries>;

/**
 * Starts with no entries. Each will be passed to `onEntry` once, in order, beginning with that of block `firstBlock`.
 */
export function startEntries(onEntry: (entry: BlockEntry) => void, firstBlock: number) {
  const sealLanes = new Int32Array(LANE_COUNT);
  seedLanes(sealLanes);
  return {
    onEntry,
    /** Entries not passed to `onEntry` yet. */
    waiting: [] as BlockEntry[],
    /** Number of entries passed on, of those with a known page, and of those with a known sum. */
    handedCount: firstBlock,
    pagedCount: firstBlock,
    summedCount: firstBlock,
    /** Lanes of the sum of all block sums, and a partial row of sums not fed to them yet. */
    sealLanes,
    sealRow: new Int32Array(LANE_COUNT),
  };
}

/** Adds an entry at the start of a block. */
export function beginBlock(
  entries: BlockEntries,
  charsBefore: number,
  lineFeedsBefore: number,
  leadIn: number,
): void {
  entries.waiting.push({
    charsBefore,
    lineFeedsBefore,
    pageNumber: 0,
    pageStart: 0,
    blockSum: 0,
    leadIn,
    hasControls: false,
  });
}

/** Notes that the block that started last has a control character. */
export function noteControls({ waiting }: BlockEntries): void {
  waiting[waiting.length - 1]!.hasControls = true;
}

/** Sets the sum of the block that started last. */
export function endBlock(entries: BlockEntries, blockSum: number): void {
  entries.waiting[entries.summedCount - entries.handedCount]!.blockSum = blockSum;
  entries.sealRow[entries.summedCount % LANE_COUNT] = blockSum;
  entries.summedCount++;
  if (entries.summedCount % LANE_COUNT === 0) feedLanes(entries.sealLanes, entries.sealRow, 0, LANE_COUNT);
}

/** Sets the page of the entries whose blocks start in it, once its end at byte offset `pageEnd` is known. */
export function setPage(entries: BlockEntries, pageNumber: number, pageStart: number, pageEnd: number): void {
  const { waiting, handedCount } = entries;
  const startedCount = handedCount + waiting.length;
  while (entries.pagedCount < startedCount && entries.pagedCount * BLOCK_BYTES < pageEnd) {
    const entry = waiting[entries.pagedCount - handedCount]!;
    entry.pageNumber = pageNumber;
    entry.pageStart = pageStart;
    entries.pagedCount++;
  }
}

/** Passes complete entries on. */
export function handOver(entries: BlockEntries): void {
  const wholeCount = Math.min(entries.pagedCount, entries.summedCount) - entries.handedCount;
  if (wholeCount === 0) return;
  for (let each = 0; each < wholeCount; each++) entries.onEntry(entries.waiting[each]!);
  entries.waiting.splice(0, wholeCount);
  entries.handedCount += wholeCount;
}

/** Returns the block sum of the list of all block sums (the seal line's `sum`), once every entry was passed on. */
export function sealSum({ sealLanes, sealRow, handedCount }: BlockEntries): number {
  const restCount = handedCount % LANE_COUNT;
  // FORMAT.md pads to a whole row with zeros.
  if (restCount > 0) feedLanes(sealLanes, sealRow.fill(0, restCount), 0, LANE_COUNT);
  return finishLanes(sealLanes, handedCount * 4);
}

/** The part of a live fd's index that is not in its file, or may still change there. */
export interface Arrived {
  /** Inode of the content file, to detect its replacement. */
  inode: number;
  /** Size of the file, including an incomplete char at its end. */
  fileBytes: number;
  /** Entries of all blocks from `firstBlock` on; earlier ones are in full pages of the index file. */
  firstBlock: number;
  entries: readonly BlockEntry[];
}
