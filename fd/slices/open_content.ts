/**
 * The content of an fd, read by verified blocks. Every byte that leaves here was checked against the sum that was taken
 * when it came in; damage is an error, never an answer.
 *
 * @module
 */

import { constants } from "node:fs";
import { BLOCK_BYTES, blockSum, sumOfSums } from "../bytes/block_sum.ts";
import { closeReader } from "../disk/close_reader.ts";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem, FdError, systemCode } from "../disk/errors.ts";
import { formatFd } from "../store/fd_id.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { findFd } from "../records/find_fd.ts";
import { type BlockIndex, DamagedIndex, indexOf, openIndex, startIndex } from "../index/index_file.ts";
import { type Store } from "../store/open_store.ts";
import { scanFile } from "../index/scan_file.ts";
import type { BlockEntry } from "../index/block_entries.ts";
import { type Arrived, fullPagesUpTo } from "../index/scan_live.ts";
import { indexPath, temporaryPath } from "../store/store_paths.ts";
import { NO_FOLLOW } from "../disk/private_files.ts";

/** An fd's content, open for reading. Close it. */
export interface OpenContent {
  /** What the fd was when it was opened. */
  readonly entry: FdEntry;
  /** Where chars, lines and pages are, block by block. */
  readonly index: BlockIndex;
  /**
   * The bytes of block `block` (0 to `index.blockCount - 1`), verified. Valid until a block that is 2 or more away from
   * it is asked for.
   * @throws {FdError} `store_corrupt` where the bytes are not those that were stored.
   */
  block(block: number): Uint8Array;
  /** Closes content and index; to be called once. */
  close(): void;
}

/**
 * Opens the content of an fd.
 *
 * @throws {FdError} `store_corrupt` where content is missing, shorter than its record says, or, when an index has to be
 * rebuilt, damaged; `read_error`, `permission_error`.
 */
export function openContent(store: Store, entry: FdEntry): OpenContent {
  if (entry.byteCount === 0) return emptyContent(entry);
  const file = openFile(store, entry);
  try {
    checkFile(file, entry);
    const index = contentIndex(store, entry, file);
    // Block n and its neighbours are in three different places, so each new block takes the memory of one that is over.
    const numbers = [-1, -1, -1];
    const memories: (Uint8Array | undefined)[] = [undefined, undefined, undefined];
    return {
      entry,
      index,
      block(number) {
        const place = number % 3;
        if (numbers[place] !== number) {
          numbers[place] = -1;
          const bytes = readBlock(file, entry, number, memories[place]);
          verify(entry, index, number, bytes);
          memories[place] = bytes;
          numbers[place] = number;
        }
        return memories[place]!;
      },
      close() {
        index.close?.();
        closeReader(file);
      },
    };
  } catch (thrown) {
    closeReader(file);
    if (thrown instanceof FdError) throw thrown;
    return fail(failureOfSystem(thrown, "read", "read the content", entry.contentPath));
  }
}

function openFile(store: Store, entry: FdEntry): number {
  try {
    return disk.open(entry.contentPath, constants.O_RDONLY | NO_FOLLOW);
  } catch (thrown) {
    const failure = failureOfSystem(thrown, "read", "open the content", entry.contentPath);
    // Somebody may have removed the fd since its record was read; then that is the answer.
    if (systemCode(thrown) === "ENOENT") findFd(store, formatFd(entry.id));
    return fail(isGone(thrown) ? corrupt(entry, "the content is missing") : failure);
  }
}

/** Whether nothing, or no file of ours, stands where the content was; other trouble may pass. */
function isGone(thrown: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"].includes(systemCode(thrown) ?? "");
}

/** Refuses a file that cannot be the content of `entry`. */
function checkFile(file: number, entry: FdEntry): void {
  const { size, ino } = disk.fstat(file);
  if (entry.arrived !== undefined && entry.arrived.inode !== ino) {
    // Its writer has ended it, and cut out its middle at the cap: these bytes are not where they were.
    fail({ kind: "read_error", path: entry.contentPath, action: "go on reading", code: "ESTALE" });
  }
  if (size < entry.byteCount) {
    fail(corrupt(entry, `the content has ${size} bytes and had ${entry.byteCount} when it was stored`));
  }
}

/** The content of an fd that is in memory, all of it, and no longer than a block. */
export function contentInMemory(entry: FdEntry, bytes: Uint8Array): OpenContent {
  return { entry, index: indexOf(firstBlock()), block: () => bytes, close() {} };
}

/** Empty content: a writer that died early may have left no file at all. */
function emptyContent(entry: FdEntry): OpenContent {
  // What is recorded as empty and has content was recorded of something else.
  const size = entry.sum === undefined
    ? 0
    : disk.lstat(entry.contentPath, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0) fail(corrupt(entry, `the content has ${size} bytes and had none`));
  return {
    entry,
    index: indexOf([]),
    block: () => fail(corrupt(entry, "empty content has no block")),
    close() {},
  };
}

function corrupt(entry: FdEntry, what: string) {
  return { kind: "store_corrupt", fd: formatFd(entry.id), path: entry.contentPath, what } as const;
}

/** Reads block `number`, into `memory` where that is given and long enough. */
function readBlock(file: number, entry: FdEntry, number: number, memory?: Uint8Array): Uint8Array {
  const fromByte = number * BLOCK_BYTES;
  const byteLength = Math.min(BLOCK_BYTES, entry.byteCount - fromByte);
  const bytes = memory === undefined || memory.length < byteLength
    ? new Uint8Array(byteLength)
    : memory.subarray(0, byteLength);
  let length = 0;
  try {
    while (length < bytes.length) {
      const got = disk.read(file, bytes, length, bytes.length - length, fromByte + length);
      if (got === 0) fail(corrupt(entry, `block ${number} ends after ${length} bytes`));
      length += got;
    }
  } catch (thrown) {
    if (thrown instanceof FdError) throw thrown;
    fail(failureOfSystem(thrown, "read", "read the content", entry.contentPath));
  }
  return bytes;
}

function verify(entry: FdEntry, index: BlockIndex, number: number, bytes: Uint8Array): void {
  const sum = blockSum(bytes);
  // Content of one block has no index file: the record holds the sum of its one block sum.
  const isRight = entry.sum !== undefined && index.blockCount === 1
    ? sumOfSums([sum]) === entry.sum
    : sum === index.at(number).blockSum;
  if (!isRight) fail(corrupt(entry, `block ${number} does not have the sum it was stored with`));
}

/** An index, with what has to be closed where it is a file's. */
type OpenIndex = BlockIndex & { close?(): void };

/** The index of an fd's content: none is needed for one block, a live fd's is still being written, a lost one is rebuilt. */
function contentIndex(store: Store, entry: FdEntry, file: number): OpenIndex {
  const blockCount = Math.ceil(entry.byteCount / BLOCK_BYTES);
  if (blockCount === 1 && entry.arrived === undefined) return indexOf(firstBlock());
  if (entry.arrived !== undefined) return liveIndex(store, entry, entry.arrived, file, blockCount);

  let opened = openIndex(indexPath(store.path, entry.id), blockCount) ??
    rebuild(store, entry, file, blockCount);
  return {
    blockCount,
    at(block) {
      try {
        return opened.at(block);
      } catch (thrown) {
        if (!(thrown instanceof DamagedIndex)) throw thrown;
        opened.close?.();
        opened = rebuild(store, entry, file, blockCount);
      }
      try {
        return opened.at(block);
      } catch (thrown) {
        if (!(thrown instanceof DamagedIndex)) throw thrown;
        // The disk does not give back what was written a moment ago.
        opened.close?.();
        opened = indexOf(scanEntries(file, entry));
        return opened.at(block);
      }
    },
    close: () => opened.close?.(),
  };
}

/** The index of a live fd: its full pages from the disk, as they are asked for, and the end that was looked at. */
function liveIndex(
  store: Store,
  entry: FdEntry,
  { firstBlock, entries }: Arrived,
  file: number,
  blockCount: number,
): OpenIndex {
  const onDisk = firstBlock === 0
    ? undefined
    : openIndex(indexPath(store.path, entry.id), fullPagesUpTo(firstBlock - 1), true);
  let scanned: BlockIndex | undefined;
  const before = (block: number): BlockEntry => {
    try {
      if (onDisk !== undefined && scanned === undefined) return onDisk.at(block);
    } catch (thrown) {
      if (!(thrown instanceof DamagedIndex)) throw thrown;
    }
    scanned ??= indexOf(scanEntries(file, entry));
    return scanned.at(block);
  };
  const known = indexOf(entries);
  return {
    blockCount,
    at: (block) => block < firstBlock ? before(block) : known.at(block - firstBlock),
    close: () => onDisk?.close?.(),
  };
}

/** What every index begins with; the sum is not looked at (see {@link verify}). */
function firstBlock(): BlockEntry[] {
  return [{ charsBefore: 0, lineFeedsBefore: 0, pageNumber: 1, pageStart: 0, blockSum: 0, leadIn: 0 }];
}

function scanEntries(file: number, entry: FdEntry): BlockEntry[] {
  const entries: BlockEntry[] = [];
  scanFile(file, {
    pageSize: entry.pageSize,
    onEntry: (each) => entries.push(each),
    toByte: entry.byteCount,
  });
  return entries;
}

/**
 * Makes a new index from the content, after checking that the content is what was stored. Where the store cannot be
 * written to, the index is kept in memory for this once.
 */
function rebuild(
  store: Store,
  entry: FdEntry,
  file: number,
  blockCount: number,
): OpenIndex {
  const fresh = temporaryPath(store.path, "index");
  const index = startIndex(fresh);
  let totals;
  try {
    totals = scanFile(file, { pageSize: entry.pageSize, onEntry: index.add, toByte: entry.byteCount });
  } catch (thrown) {
    index.abandon();
    return fail(failureOfSystem(thrown, "read", "read the content", entry.contentPath));
  }
  index.end(false);
  const path = indexPath(store.path, entry.id);
  let isInPlace = false;
  try {
    if (totals.sum !== entry.sum) {
      fail(corrupt(entry, "the content does not have the sum it was stored with"));
    }
    disk.rename(fresh, path);
    isInPlace = true;
  } catch (thrown) {
    if (disk.lstat(fresh, { throwIfNoEntry: false })) disk.unlink(fresh);
    if (systemCode(thrown) === undefined) throw thrown;
  }
  return (isInPlace ? openIndex(path, blockCount) : undefined) ?? indexOf(scanEntries(file, entry));
}
