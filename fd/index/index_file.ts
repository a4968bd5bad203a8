/**
 * The block index on disk (FORMAT.md, "Block index"): pages of 127 entries, each page with its own sum. It can be
 * rebuilt from the content at any time, so a damaged or missing index loses no data.
 */

import { NO_FOLLOW, openIfPossible, openPrivate, openReader } from "../disk/private_files.ts";
import { constants } from "node:fs";
import { blockSum } from "../bytes/block_sum.ts";
import { closeReader, inFile, readAt, writeWhole } from "../disk/file_calls.ts";
import { disk } from "../disk/disk.ts";
import { ifPossible, systemCode } from "../disk/errors.ts";
import type { BlockEntry } from "./block_entries.ts";

/** The entries of an fd's blocks, in order. `at` accepts 0 to `blockCount - 1`. */
export interface BlockIndex {
  /** Number of 32 KiB blocks in the content; the last may be shorter. */
  readonly blockCount: number;
  at(block: number): BlockEntry;
}

/** Bytes of a full index page. */
export const PAGE_BYTES = 4096;
const ENTRY_BYTES = 32;
const HEADER_BYTES = 32;
/** Entries in a full index page: 127, about 4 MiB of content. */
export const ENTRIES_PER_PAGE = (PAGE_BYTES - HEADER_BYTES) / ENTRY_BYTES;
/** "FDX1" as a little-endian number. */
const MAGIC = 0x31584446;

/** `controls` of an entry; 0 if unknown. */
const WITHOUT_CONTROLS = 1;
const WITH_CONTROLS = 2;

/**
 * A page is written when it has 15 entries and rewritten in place with every 16 more. A reader of growing content
 * scans what no entry describes: at most half a MiB if pages are short. A full page of 127 is one of these counts.
 */
const FLUSH_ENTRIES = 16;

/** Writes entries to an index file page by page; buffers at most one page. */
export type IndexWriter = ReturnType<typeof startIndex>;

/**
 * Starts an index at `path`. The file is created with the second entry: content of one block needs no index. Ignores
 * system errors such as a full disk: the file is deleted, and the index rebuilt when needed.
 */
export function startIndex(path: string) {
  const bytes = new Uint8Array(PAGE_BYTES);
  const words = new Int32Array(bytes.buffer);
  let entryCount = 0;
  /** Entries of the current page that are on disk. */
  let flushedCount = 0;
  let firstBlock = 0;
  let file: number | undefined;
  let dropped = false;

  const drop = () => {
    dropped = true;
    if (file !== undefined) disk.unlink(path);
  };
  /** Writes the current page, unless it has nothing new, and syncs the file if `durable`. */
  const flush = (durable = false) => {
    if (dropped) return;
    try {
      if (entryCount > flushedCount && firstBlock + entryCount > 1) {
        file ??= openPrivate(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | NO_FOLLOW);
        const byteLength = HEADER_BYTES + entryCount * ENTRY_BYTES;
        words[0] = MAGIC;
        words[1] = 0;
        words[2] = firstBlock;
        words[3] = Math.floor(firstBlock / U32);
        words[1] = blockSum(bytes.subarray(0, byteLength));
        words[3] |= entryCount << 16;
        writeWhole(file, bytes, byteLength, firstBlock / ENTRIES_PER_PAGE * PAGE_BYTES);
        flushedCount = entryCount;
      }
      if (durable && file !== undefined) disk.fsync(file);
    } catch (thrown) {
      if (systemCode(thrown) === undefined) throw thrown;
      drop();
    }
  };

  return {
    add(entry: BlockEntry): void {
      if (dropped) return;
      encodeEntry(words, (HEADER_BYTES + entryCount * ENTRY_BYTES) / 4, entry);
      entryCount++;
      if ((entryCount + 1) % FLUSH_ENTRIES === 0) flush();
      if (entryCount < ENTRIES_PER_PAGE) return;
      firstBlock += entryCount;
      entryCount = 0;
      flushedCount = 0;
    },
    /** Writes the rest, syncs it if `durable`, and closes the file. */
    end(durable: boolean): void {
      flush(durable);
      if (file !== undefined) closeReader(file);
    },
    /** Closes and deletes the file; called instead of `end`. */
    abandon(): void {
      if (file !== undefined) closeReader(file);
      if (!dropped) ifPossible(drop);
    },
  };
}

const U16 = 2 ** 16;
const U32 = 2 ** 32;

function getU48(page: DataView, at: number): number {
  return page.getUint32(at, true) + page.getUint16(at + 4, true) * U32;
}

function encodeEntry(words: Int32Array, at: number, entry: BlockEntry): void {
  // Words are little-endian, as for the block sum. Two 48-bit numbers take three words: the lowest 16 bits of the
  // second number share a word with the highest 16 bits of the first.
  words[at] = entry.charsBefore;
  words[at + 1] = Math.floor(entry.charsBefore / U32) | entry.lineFeedsBefore << 16;
  words[at + 2] = Math.floor(entry.lineFeedsBefore / U16);
  words[at + 3] = entry.pageNumber;
  words[at + 4] = Math.floor(entry.pageNumber / U32) | entry.pageStart << 16;
  words[at + 5] = Math.floor(entry.pageStart / U16);
  words[at + 6] = entry.blockSum;
  const { hasControls } = entry;
  words[at + 7] = entry.leadIn |
    (hasControls === undefined ? 0 : hasControls ? WITH_CONTROLS : WITHOUT_CONTROLS) << 8;
}

function decodeEntry(page: DataView, at: number): BlockEntry {
  const controls = page.getUint8(at + 29);
  return {
    charsBefore: getU48(page, at),
    lineFeedsBefore: getU48(page, at + 6),
    pageNumber: getU48(page, at + 12),
    pageStart: getU48(page, at + 18),
    blockSum: page.getUint32(at + 24, true),
    leadIn: page.getUint8(at + 28),
    hasControls: controls === 0 ? undefined : controls === WITH_CONTROLS,
  };
}

/** Thrown by `at` of {@link openIndex} if an index page is damaged; the reader rebuilds the index. */
export class DamagedIndex extends Error {
  override readonly name = "DamagedIndex";
}

/** Whether the first `byteLength` bytes, header and entries, are a valid page `pageNumber` of an index. */
function isPage(page: DataView<ArrayBuffer>, byteLength: number, pageNumber: number): boolean {
  const sum = page.getUint32(4, true);
  const entryCount = page.getUint16(14, true);
  page.setUint32(4, 0, true);
  page.setUint16(14, 0, true);
  return page.getUint32(0, true) === MAGIC && sum === blockSum(new Uint8Array(page.buffer, 0, byteLength)) &&
    getU48(page, 8) === pageNumber * ENTRIES_PER_PAGE &&
    entryCount * ENTRY_BYTES === byteLength - HEADER_BYTES;
}

/** The last entries of an index that is still being written. */
export interface IndexEnd {
  /** Block of the first entry, a multiple of {@link ENTRIES_PER_PAGE}. The pages before it are full. */
  firstBlock: number;
  entries: BlockEntry[];
}

/**
 * Reads the last page of the index at `path` while it is being written; returns no entries if there is none yet. A
 * page read during a rewrite has a wrong sum; then the previous page, which no longer changes, is the last.
 */
export function readIndexEnd(path: string): IndexEnd {
  const file = openIfPossible(path);
  if (file === undefined) return { firstBlock: 0, entries: [] };
  return inFile(file, () => {
    const page = new DataView(new ArrayBuffer(PAGE_BYTES));
    for (let number = Math.ceil(disk.fstat(file).size / PAGE_BYTES) - 1; number >= 0; number--) {
      const length = disk.read(file, page, 0, PAGE_BYTES, number * PAGE_BYTES);
      const entryCount = page.getUint16(14, true);
      const byteLength = HEADER_BYTES + entryCount * ENTRY_BYTES;
      if (byteLength > length || !isPage(page, byteLength, number)) continue;
      const entries = Array.from(
        { length: entryCount },
        (_, each) => decodeEntry(page, HEADER_BYTES + each * ENTRY_BYTES),
      );
      return { firstBlock: number * ENTRIES_PER_PAGE, entries };
    }
    return { firstBlock: 0, entries: [] };
  });
}

/** Returns the length of the index of `blockCount` blocks. */
export function indexLength(blockCount: number): number {
  return Math.ceil(blockCount / ENTRIES_PER_PAGE) * HEADER_BYTES + blockCount * ENTRY_BYTES;
}

/**
 * Opens the index of an fd with `blockCount` blocks. Returns undefined if it is missing or has another length. Pages
 * are read on demand, verified and cached: a search among n blocks reads about log2(n / 127) pages. With `isGrowing`,
 * only full pages can be opened: `blockCount` must be a multiple of {@link ENTRIES_PER_PAGE}.
 */
export function openIndex(
  path: string,
  blockCount: number,
  isGrowing = false,
): BlockIndex & { close(): void } | undefined {
  const file = ifPossible(() => openReader(path));
  if (file === undefined) return undefined;
  const excess = (ifPossible(() => disk.fstat(file).size) ?? NaN) - indexLength(blockCount);
  if (!(isGrowing ? excess >= 0 : excess === 0)) {
    closeReader(file);
    return undefined;
  }
  const pages = new Map<number, DataView>();
  const readPage = (pageNumber: number): DataView => {
    const known = pages.get(pageNumber);
    if (known !== undefined) return known;
    const entryCount = Math.min(ENTRIES_PER_PAGE, blockCount - pageNumber * ENTRIES_PER_PAGE);
    const byteLength = HEADER_BYTES + entryCount * ENTRY_BYTES;
    const page = new DataView(new ArrayBuffer(byteLength));
    const length = ifPossible(() => readAt(file, page, pageNumber * PAGE_BYTES));
    if (length !== byteLength || !isPage(page, byteLength, pageNumber)) throw new DamagedIndex();
    pages.set(pageNumber, page);
    return page;
  };
  let lastAsked = -1;
  let last: BlockEntry;
  return {
    blockCount,
    at(block) {
      if (block !== lastAsked) {
        const page = readPage(Math.floor(block / ENTRIES_PER_PAGE));
        last = decodeEntry(page, HEADER_BYTES + (block % ENTRIES_PER_PAGE) * ENTRY_BYTES);
        lastAsked = block;
      }
      return last;
    },
    close: () => closeReader(file),
  };
}

/** Creates an index from entries in memory. */
export function indexOf(entries: readonly BlockEntry[]): BlockIndex {
  return {
    blockCount: entries.length,
    at(block) {
      const entry = entries[block];
      if (entry === undefined) throw new Error(`no block ${block} of ${entries.length}`);
      return entry;
    },
  };
}
