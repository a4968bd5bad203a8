/**
 * Scans growing content at one moment. Its writer writes the index as it goes (`index_file.ts`), so only content that
 * no entry describes is scanned: the end, however large the content.
 *
 * The scan continues from the block in which the last known page starts, because there the state of the writer's scan
 * can be restored from an entry. It then passes blocks that have entries, which shows whether index and content
 * match.
 */

import { ifPossible } from "../disk/errors.ts";
import { BLOCK_BYTES, blockAt } from "../bytes/block_sum.ts";
import { type Arrived, type BlockEntry, sameEntry } from "./block_entries.ts";
import { disk } from "../disk/disk.ts";
import { readAt } from "../disk/file_calls.ts";
import { DamagedIndex, ENTRIES_PER_PAGE, type IndexEnd, openIndex, readIndexEnd } from "./index_file.ts";
import { scanFile } from "./scan_file.ts";
import type { ScanStart } from "./scan_text.ts";
import { countChars, startOfUnfinished } from "../bytes/utf8_chars.ts";

/**
 * Scans the content in the open `file`, whose index is at `indexAt`. Its totals are those so far, without an incomplete char at
 * the end. Throws system errors unchanged.
 */
export function scanLive(file: number, indexAt: string, pageSize: number) {
  const { ino: inode, size: fileBytes } = disk.fstat(file);
  const toByte = wholeCharsEnd(file, fileBytes);
  const known = knownEntries(indexAt, toByte);
  const scanned = scanFromKnown(file, known, indexAt, pageSize, toByte) ??
    scanFrom(file, { firstBlock: 0, entries: [] }, undefined, pageSize, toByte);
  const arrived: Arrived = { inode, fileBytes, ...scanned.index };
  return { totals: scanned.totals, arrived };
}

/** Returns the end of the chars that are complete, or ill-formed whatever follows. */
function wholeCharsEnd(file: number, fileBytes: number): number {
  const last = readRange(file, Math.max(0, fileBytes - 4), fileBytes);
  return fileBytes - last.length + startOfUnfinished(last);
}

function readRange(file: number, fromByte: number, toByte: number): Uint8Array {
  const bytes = new Uint8Array(toByte - fromByte);
  return bytes.subarray(0, readAt(file, bytes, fromByte));
}

/** Reads the entries at the end of the index, without those of blocks that extend beyond `toByte`. */
function knownEntries(indexAt: string, toByte: number): IndexEnd {
  const { firstBlock, entries } = readIndexEnd(indexAt);
  return {
    firstBlock,
    entries: entries.slice(0, Math.max(0, blockAt(toByte) - firstBlock)),
  };
}

/**
 * Continues from the start of the last known page. Returns undefined if there is none, or index and content do not
 * match.
 */
function scanFromKnown(
  file: number,
  known: IndexEnd,
  indexAt: string,
  pageSize: number,
  toByte: number,
): ReturnType<typeof scanFrom> | undefined {
  const last = known.entries.at(-1);
  if (last === undefined) return undefined;
  const block = blockAt(last.pageStart);
  const entry = known.entries[block - known.firstBlock] ?? entryBefore(indexAt, block);
  if (entry === undefined) return undefined;
  const byteOffset = block * BLOCK_BYTES;
  const bytes = readRange(file, byteOffset, Math.max(last.pageStart, byteOffset));
  if (bytes.length < last.pageStart - byteOffset) return undefined;
  const from: ScanStart = {
    byteOffset,
    charCount: entry.charsBefore,
    lineFeedCount: entry.lineFeedsBefore,
    pageNumber: last.pageNumber,
    pageStart: last.pageStart,
    charsBeforePage: entry.charsBefore +
      countChars(bytes, Math.min(entry.leadIn, bytes.length), bytes.length),
    bytesBefore: readRange(file, Math.max(0, byteOffset - 4), byteOffset),
  };
  const unchanged = known.entries.slice(0, Math.max(0, block - known.firstBlock));
  const firstBlock = Math.min(block, known.firstBlock);
  const scanned = scanFrom(file, { firstBlock, entries: unchanged }, from, pageSize, toByte);
  const firstScanned = scanned.index.entries[unchanged.length];
  // The block may begin with the end of the previous page, which the scan did not see.
  if (firstScanned !== undefined) {
    Object.assign(firstScanned, { pageNumber: entry.pageNumber, pageStart: entry.pageStart });
  }
  const fits = known.entries.every((each, at) => {
    const again = scanned.index.entries[known.firstBlock + at - firstBlock];
    return again !== undefined && sameEntry(each, again);
  });
  return fits ? scanned : undefined;
}

/** Reads the entry of a block whose index page is full. */
function entryBefore(indexAt: string, block: number): BlockEntry | undefined {
  const index = openIndex(indexAt, fullPagesUpTo(block), true);
  const entry = ifPossible(() => index?.at(block), DamagedIndex);
  index?.close();
  return entry;
}

/** Returns the number of blocks described by the full index pages up to and including that of `block`. */
export function fullPagesUpTo(block: number): number {
  return (Math.floor(block / ENTRIES_PER_PAGE) + 1) * ENTRIES_PER_PAGE;
}

function scanFrom(
  file: number,
  { firstBlock, entries: unchanged }: IndexEnd,
  from: ScanStart | undefined,
  pageSize: number,
  toByte: number,
) {
  const entries = [...unchanged];
  const totals = scanFile(file, { pageSize, onEntry: (entry) => entries.push(entry), toByte, from });
  return { totals, index: { firstBlock, entries } };
}
