/**
 * Reads an fd's content in verified blocks. Every byte is checked against the sum computed when it was stored; damage
 * is an error, never a result.
 */

import { discard, moveIfPossible, readAt } from "../disk/file_calls.ts";
import { BLOCK_BYTES, blockSum, sumOfSums } from "../bytes/block_sum.ts";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem, ifPossible, systemCode } from "../disk/errors.ts";
import { formatFd } from "../store/fd_id.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { findFd } from "../records/find_fd.ts";
import { type ContentInRecord, readContentInRecord } from "../records/object_record.ts";
import { type BlockIndex, DamagedIndex, indexOf, openIndex, startIndex } from "../index/index_file.ts";
import type { FetchedContent, Prepare, ReadChecked } from "../store/backend.ts";
import { type Store } from "../store/open_store.ts";
import { damagedPart } from "./damaged_part.ts";
import { scanFile } from "../index/scan_file.ts";
import type { Arrived, BlockEntry } from "../index/block_entries.ts";
import { fullPagesUpTo } from "../index/scan_live.ts";
import { contentPath, indexPath, packBeside, recordBeside, temporaryPath } from "../store/store_paths.ts";
import {
  closeStored,
  DamagedPack,
  openStored,
  type PackedContent,
  type StoredContent,
} from "../packs/stored_content.ts";

/** An fd's open content. Must be closed. */
export interface OpenContent {
  /** The entry at the time of opening. */
  readonly entry: FdEntry;
  /** Counts at the start of each block. */
  readonly index: BlockIndex;
  /**
   * Returns the verified bytes of block `block` (0 to `index.blockCount - 1`). Valid until a block that is 2 or more
   * away is requested.
   *
   * @throws {FdError} `store_corrupt` if the bytes differ from those stored.
   */
  block(block: number): Uint8Array;
  /**
   * Gets blocks `[fromBlock, toBlock)`, as far as they exist, and their entries of the index, before they are read. Absent
   * if nothing has to be waited for; returns undefined if that holds for these blocks. Damage is left to who reads it.
   */
  readonly prepare?: Prepare | undefined;
  /** The same for the entries only. */
  readonly prepareEntries?: Prepare | undefined;
  /** The file, if the content is packed. */
  readonly packed?: PackedContent | undefined;
  /** Closes content and index; must be called once. */
  close(): void;
}

/**
 * Opens the content of an fd.
 *
 * @throws {FdError} `store_corrupt` if content is missing, shorter than recorded or, if an index must be rebuilt,
 * damaged; `read_error`, `permission_error`.
 */
export function openContent(store: Store, entry: FdEntry): OpenContent {
  if (entry.byteCount === 0) return emptyContent(entry);
  if (entry.decoded !== undefined) return decodedContent(entry, entry.decoded);
  if (entry.inRecord !== undefined) return contentInRecord(store, entry, entry.inRecord);
  const file = openFile(store, entry);
  try {
    checkFile(file, entry);
    if (typeof file === "number" && entry.arrived === undefined) {
      const fetched = store.backend.fetched(entry.id);
      if (fetched !== undefined) return openFetched(store, fetched, entry, file);
    }
    const index = contentIndex(store, entry, file);
    // Adjacent blocks use different buffers, and a new block reuses the buffer of one that is no longer valid.
    const numbers = [-1, -1, -1];
    const memories: (Uint8Array | undefined)[] = [undefined, undefined, undefined];
    return {
      entry,
      index,
      prepare: typeof file === "number" ? undefined : unpacking(entry, file),
      packed: typeof file === "number" ? undefined : file,
      block(number) {
        const place = number % 3;
        if (numbers[place] !== number) {
          numbers[place] = -1;
          // A packed file gives other memory each time, which it does not write to again.
          const memory = memories[place];
          memories[place] = verifiedBlock(file, { entry, index }, number, memory);
          numbers[place] = number;
        }
        return memories[place]!;
      },
      close() {
        index.close?.();
        closeStored(file);
      },
    };
  } catch (thrown) {
    closeStored(file);
    return failReading(entry, thrown);
  }
}

/** The content of an fd until the end of the block that uses it. Throws what {@link openContent} throws. */
export function usedContent(store: Store, entry: FdEntry): OpenContent & Disposable {
  const content = openContent(store, entry);
  return Object.assign(content, { [Symbol.dispose]: () => content.close() });
}

/** Opens content that is fetched before it is read. */
function openFetched(store: Store, fetched: FetchedContent, entry: FdEntry, file: number): OpenContent {
  const path = indexPath(store.path, entry.id);
  const blockCount = Math.ceil(entry.byteCount / BLOCK_BYTES);
  let opened: OpenIndex | undefined = blockCount === 1 ? indexOf(firstBlock()) : openIndex(path, blockCount);
  const close = () => opened?.close?.();
  const index: BlockIndex = {
    blockCount,
    at(block) {
      if (opened === undefined) throw new DamagedIndex();
      return opened.at(block);
    },
  };
  const reopen = () => {
    close();
    opened = openIndex(path, blockCount);
  };
  const prepareEntries = fetched.entries(index, reopen);
  const orCorrupt = <Result>(get: () => Result): Result => {
    try {
      return get();
    } catch (thrown) {
      if (thrown instanceof DamagedIndex) fail(corrupt(entry, "the index is damaged"));
      return failReading(entry, thrown);
    }
  };
  const read: ReadChecked = (block, memory) =>
    orCorrupt(() => verifiedBlock(file, { entry, index }, block, memory));
  return {
    entry,
    index: { blockCount, at: (number) => orCorrupt(() => index.at(number)) },
    ...fetched.blocks(index, prepareEntries, read),
    prepareEntries,
    close() {
      close();
      closeStored(file);
    },
  };
}

/** Unpacks blocks before they are read. */
function unpacking(entry: FdEntry, packed: PackedContent): Prepare {
  return (fromBlock, toBlock) => {
    const toByte = Math.min(toBlock * BLOCK_BYTES, entry.byteCount);
    return packed.prepare(fromBlock * BLOCK_BYTES, toByte)
      ?.catch((thrown: unknown) => failReading(entry, thrown));
  };
}

/** Turns what reading content throws into an {@link FdError}. */
function failReading(entry: FdEntry, thrown: unknown): never {
  if (thrown instanceof DamagedPack) fail(corruptPack(entry, thrown.message));
  fail(failureOfSystem(thrown, "read", "read the content", entry.contentPath));
}

function openFile(store: Store, entry: FdEntry): StoredContent {
  // Content that was dropped from a cache starts again as a file of holes.
  store.backend.check({ kind: "block", id: entry.id, block: 0 });
  try {
    // A cache may have moved since the entry was found.
    return openStored(contentPath(store.path, entry.id), entry.byteCount);
  } catch (thrown) {
    if (thrown instanceof DamagedPack) return failReading(entry, thrown);
    const failure = failureOfSystem(thrown, "read", "open the content", entry.contentPath);
    // If the fd was removed since its record was read, report that instead.
    if (systemCode(thrown) === "ENOENT") findFd(store, formatFd(entry.id));
    // A full cache may have dropped it since it was prepared.
    const isDropped = store.backend.fetched(entry.id) !== undefined;
    // Missing, or replaced by something else; other errors may be temporary.
    const isGone = ["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"].includes(systemCode(thrown) ?? "");
    return fail(isGone && !isDropped ? corrupt(entry, "the content is missing") : failure);
  }
}

/** Refuses a file that cannot be the content of `entry`. */
function checkFile(file: StoredContent, entry: FdEntry): void {
  // Opening packed content has compared its length.
  if (typeof file !== "number") return;
  const { size, ino } = disk.fstat(file);
  if (entry.arrived !== undefined && entry.arrived.inode !== ino) {
    // The fd ended and its middle was dropped by the cap, so offsets have changed.
    fail({ kind: "read_error", path: entry.contentPath, action: "continue reading", code: "ESTALE" });
  }
  if (size < entry.byteCount) {
    fail(corrupt(entry, `the content has ${size} bytes instead of ${entry.byteCount}`));
  }
}

/** Opens content that is completely in memory, at most a block. */
export function contentInMemory(entry: FdEntry, bytes: Uint8Array): OpenContent {
  return { entry, index: indexOf(firstBlock()), block: () => bytes, close() {} };
}

function decodedContent(entry: FdEntry, { bytes, blocks }: NonNullable<FdEntry["decoded"]>): OpenContent {
  const block = (number: number) => bytes.subarray(number * BLOCK_BYTES, (number + 1) * BLOCK_BYTES);
  return { entry, index: indexOf(blocks), block, close() {} };
}

/** Opens content that is in the file of its record, at most a block. */
function contentInRecord(store: Store, entry: FdEntry, { fromByte, content }: ContentInRecord): OpenContent {
  const bytes = content ?? readContentInRecord(recordBeside(entry.contentPath), fromByte, entry.byteCount);
  const index = indexOf(firstBlock());
  let isVerified = false;
  return {
    entry,
    index,
    block(number) {
      if (isVerified) return bytes;
      isVerified = bytes.length >= entry.byteCount && isBlock(entry, index, number, bytes);
      if (isVerified) return bytes;
      // If the fd was removed since its record was read, report that instead.
      findFd(store, formatFd(entry.id));
      return failBlock(entry, index, number, bytes, false);
    },
    close() {},
  };
}

/** Opens empty content. Its file may not exist if its writer died early. */
function emptyContent(entry: FdEntry): OpenContent {
  // Non-empty content with a record of 0 bytes belongs to something else.
  const size = entry.sum === undefined || entry.inRecord !== undefined
    ? 0
    : disk.lstat(entry.contentPath, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0) fail(corrupt(entry, `the content has ${size} bytes instead of none`));
  return {
    entry,
    index: indexOf([]),
    block: () => fail(corrupt(entry, "empty content has no block")),
    close() {},
  };
}

function corrupt({ id, contentPath, inRecord }: FdEntry, what: string) {
  const path = inRecord === undefined ? contentPath : recordBeside(contentPath);
  return { kind: "store_corrupt", fd: formatFd(id), path, what } as const;
}

function corruptPack(entry: FdEntry, what: string) {
  return { ...corrupt(entry, what), path: packBeside(entry.contentPath) };
}

/** Reads and checks block `number`; of plain content into `memory` if given and long enough. */
function verifiedBlock(
  file: StoredContent,
  { entry, index }: { entry: FdEntry; index: BlockIndex },
  number: number,
  memory?: Uint8Array,
): Uint8Array {
  const fromByte = number * BLOCK_BYTES;
  const byteLength = Math.min(BLOCK_BYTES, entry.byteCount - fromByte);
  let bytes: Uint8Array;
  try {
    if (typeof file !== "number") bytes = file.bytesAt(fromByte, byteLength);
    else {
      bytes = memory === undefined || memory.length < byteLength
        ? new Uint8Array(byteLength)
        : memory.subarray(0, byteLength);
      const length = readAt(file, bytes, fromByte);
      if (length < byteLength) fail(corrupt(entry, `block ${number} ends after ${length} bytes`));
    }
  } catch (thrown) {
    if (thrown instanceof DamagedPack) fail(corruptPack(entry, damagedPart(entry, index, thrown)));
    return failReading(entry, thrown);
  }
  if (!isBlock(entry, index, number, bytes)) failBlock(entry, index, number, bytes, typeof file !== "number");
  return bytes;
}

/** Whether `bytes` have the sum of block `number`. */
function isBlock(entry: FdEntry, index: BlockIndex, number: number, bytes: Uint8Array): boolean {
  const sum = blockSum(bytes);
  // Content of one block has no index file: the record contains the sum of its single block sum.
  return entry.sum !== undefined && index.blockCount === 1
    ? sumOfSums([sum]) === entry.sum
    : sum === index.at(number).blockSum;
}

function failBlock(
  entry: FdEntry,
  index: BlockIndex,
  number: number,
  bytes: Uint8Array,
  isPacked: boolean,
): never {
  const fromByte = number * BLOCK_BYTES;
  return fail(
    isPacked
      ? corruptPack(entry, damagedPart(entry, index, { fromByte, toByte: fromByte + bytes.length }))
      : corrupt(entry, `block ${number} has a wrong checksum`),
  );
}

/** An index, with a `close` if it has an open file. */
type OpenIndex = BlockIndex & { close?(): void };

/** Opens the index of an fd's content: one block needs none, a live fd's is incomplete, a missing one is rebuilt. */
function contentIndex(store: Store, entry: FdEntry, file: StoredContent): OpenIndex {
  const blockCount = Math.ceil(entry.byteCount / BLOCK_BYTES);
  if (blockCount === 1 && entry.arrived === undefined) return indexOf(firstBlock());
  if (entry.arrived !== undefined) return liveIndex(store, entry, entry.arrived, file, blockCount);
  let opened = openIndex(indexPath(store.path, entry.id), blockCount) ??
    rebuild(store, entry, file, blockCount);
  // If the disk does not return what was just written.
  const fromContent = (block: number): BlockEntry => {
    opened.close?.();
    opened = indexOf(scanEntries(file, entry));
    return opened.at(block);
  };
  return {
    blockCount,
    at(block) {
      const found = ifPossible(() => opened.at(block), DamagedIndex);
      if (found !== undefined) return found;
      opened.close?.();
      opened = rebuild(store, entry, file, blockCount);
      return ifPossible(() => opened.at(block), DamagedIndex) ?? fromContent(block);
    },
    close: () => opened.close?.(),
  };
}

/** Opens the index of a live fd: full pages from the disk, on demand, and the scanned end from memory. */
function liveIndex(
  store: Store,
  entry: FdEntry,
  { firstBlock, entries }: Arrived,
  file: StoredContent,
  blockCount: number,
): OpenIndex {
  const onDisk = firstBlock === 0
    ? undefined
    : openIndex(indexPath(store.path, entry.id), fullPagesUpTo(firstBlock - 1), true);
  let scanned: BlockIndex | undefined;
  const before = (block: number): BlockEntry => {
    const found = scanned === undefined ? ifPossible(() => onDisk?.at(block), DamagedIndex) : undefined;
    if (found !== undefined) return found;
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

/** The entry of every first block; its sum is not used (see {@link verify}). */
function firstBlock(): BlockEntry[] {
  return [{
    charsBefore: 0,
    lineFeedsBefore: 0,
    pageNumber: 1,
    pageStart: 0,
    blockSum: 0,
    leadIn: 0,
    hasControls: undefined,
  }];
}

function scanEntries(file: StoredContent, entry: FdEntry): BlockEntry[] {
  const entries: BlockEntry[] = [];
  scanFile(file, {
    pageSize: entry.pageSize,
    onEntry: (each) => entries.push(each),
    toByte: entry.byteCount,
  });
  return entries;
}

/**
 * Rebuilds the index after checking that the content is what was stored. If the store is read-only, returns an index
 * in memory.
 */
function rebuild(store: Store, entry: FdEntry, file: StoredContent, blockCount: number): OpenIndex {
  const fresh = temporaryPath(store.path, "index");
  const index = startIndex(fresh);
  let totals;
  try {
    totals = scanFile(file, { pageSize: entry.pageSize, onEntry: index.add, toByte: entry.byteCount });
  } catch (thrown) {
    index.abandon();
    return failReading(entry, thrown);
  }
  index.end(false);
  const path = indexPath(store.path, entry.id);
  if (totals.sum !== entry.sum) {
    discard(fresh);
    fail(corrupt(entry, "the content has a wrong checksum"));
  }
  moveIfPossible(fresh, path);
  discard(fresh);
  return openIndex(path, blockCount) ?? indexOf(scanEntries(file, entry));
}
