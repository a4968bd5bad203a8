/**
 * Packs the content of an fd: writes it compressed beside the plain file, verifies it, and removes the plain file
 * (FORMAT.md, "Packed content"). Killed at any step, it leaves the plain content, or both, or the packed.
 */

import { BLOCK_BYTES, blockSum } from "../bytes/block_sum.ts";
import { discard, inWritten, syncDirectory, unlinkIfExists, writeWhole } from "../disk/file_calls.ts";
import { disk } from "../disk/disk.ts";
import { atEnd, fail, failureOfSystem, ifPossible } from "../disk/errors.ts";
import { NEW_FILE, openPrivate } from "../disk/private_files.ts";
import type { BlockIndex } from "../index/index_file.ts";
import { damagedFilters, REACH_BYTES } from "../packs/frame_filter.ts";
import {
  encodeSeekTable,
  endsFilteredGroup,
  FRAME_BYTES,
  frameCountOf,
  frameLength,
  type TableEntry,
} from "../packs/seek_table.ts";
import { DamagedPack, openPacked } from "../packs/stored_content.ts";
import { appendLine, readLog } from "../records/record_log.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { type OpenContent, usedContent } from "../slices/open_content.ts";
import type { Store } from "../store/open_store.ts";
import { indexPath, packBeside, shardPath, temporaryPath } from "../store/store_paths.ts";
import { compressFrame, FILTERED_BYTES, filterMaker } from "./compress_frame.ts";
import { offerShared, shareIndex, takeShared } from "./shared_packs.ts";

/** Content whose first frames do not shrink to this part of them stays plain. */
export const WORTH_PACKING = 0.9;
export const TRIED_FRAMES = 8;

/**
 * Packs the plain content of a sealed fd of at least two blocks. `onBytes` gets the size of each piece. Returns the bytes that
 * it takes now: 0 of a file that other fds of the store have too; undefined if it would not become smaller.
 *
 * @throws {FdError} `store_corrupt` if the content is damaged, which stays as it is; `storage_full`, `write_error`.
 */
export async function packFd(
  store: Store,
  entry: FdEntry,
  onBytes: (byteCount: number) => void = () => {},
): Promise<number | undefined> {
  using content = usedContent(store, entry);
  const fresh = temporaryPath(store.path, "pack");
  try {
    return await packContent(store, content, fresh, onBytes);
  } catch (thrown) {
    discard(fresh);
    return fail(failureOfSystem(thrown, "write", "pack", packBeside(entry.contentPath)));
  }
}

async function packContent(
  store: Store,
  content: OpenContent,
  fresh: string,
  onBytes: (byteCount: number) => void,
): Promise<number | undefined> {
  const { entry, index } = content;
  const path = packBeside(entry.contentPath);
  const isRight = (packed: string) => isPackOf(packed, entry, index);
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  const onPlain = (plain: Uint8Array) => {
    hash.update(plain);
    onBytes(plain.length);
  };
  if (!writePack(content, fresh, onPlain)) {
    appendLine(store, entry.id, { event: "dense" }, false);
    discard(fresh);
    return undefined;
  }
  if (!isRight(fresh)) fail({ kind: "write_error", path, action: "pack", code: "EIO" });
  const sha256 = hash.digest("hex");
  const shared = temporaryPath(store.path, "pack");
  const isShared = takeShared(store, sha256, shared, isRight);
  let diskBytes = 0;
  if (isShared) disk.unlink(fresh);
  else diskBytes = disk.stat(fresh).size;
  if (entry.sha256 === undefined) appendLine(store, entry.id, { event: "digest", sha256 }, false);
  // Before it has its name: killed in between, another fd with this content would get a file of its own.
  if (!isShared) offerShared(store, sha256, fresh);
  disk.rename(isShared ? shared : fresh, path);
  // The plain content is removed only once the packed has its name on the disk.
  syncDirectory(shardPath(store.path, entry.id));
  unlinkIfExists(entry.contentPath);
  shareIndex(store, entry, sha256);
  // A removal may have deleted the content and its index before these files had their names.
  if (readLog(store, entry.id)?.tomb !== undefined) {
    unlinkIfExists(path);
    unlinkIfExists(indexPath(store.path, entry.id));
  }
  return diskBytes;
}

/** Writes the content, frame by frame, to a new synced file. Returns false if its first frames do not shrink. */
function writePack(content: OpenContent, path: string, onPlain: (plain: Uint8Array) => void): boolean {
  const { byteCount } = content.entry;
  return inWritten(openPrivate(path, NEW_FILE), (file) => {
    const plain = frameMemory();
    const frameCount = frameCountOf(byteCount);
    const filters = filterMaker(content.entry);
    const entries: TableEntry[] = [];
    let packedBytes = 0;
    const add = (bytes: Uint8Array, plainBytes: number): void => {
      writeWhole(file, bytes);
      entries.push({ packedBytes: bytes.length, plainBytes });
      packedBytes += bytes.length;
    };
    for (let frame = 0; frame < frameCount; frame++) {
      const length = readFrame(content, frame, plain);
      onPlain(plain.subarray(0, length));
      filters.add(plain);
      add(compressFrame(plain.subarray(0, length)), length);
      const isTried = frame + 1 === Math.min(TRIED_FRAMES, frameCount);
      if (isTried && packedBytes > (frame * FRAME_BYTES + length) * WORTH_PACKING) return false;
      if (endsFilteredGroup(frame, frameCount)) add(filters.end(), 0);
    }
    writeWhole(file, encodeSeekTable(entries));
    disk.fsync(file);
    return true;
  });
}

/** Memory for {@link readFrame}. */
export function frameMemory(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(FILTERED_BYTES);
}

/**
 * Reads the plain bytes of a frame into `plain`, and returns how many there are. After them are those that filters need
 * of the next frame, or zeros.
 */
export function readFrame(content: OpenContent, frame: number, plain: Uint8Array): number {
  const { byteCount } = content.entry;
  const length = frameLength(frame, byteCount);
  const fromBlock = frame * FRAME_BYTES / BLOCK_BYTES;
  for (let at = 0; at < length; at += BLOCK_BYTES) plain.set(content.block(fromBlock + at / BLOCK_BYTES), at);
  plain.fill(0, length);
  const nextBlock = fromBlock + FRAME_BYTES / BLOCK_BYTES;
  if (nextBlock * BLOCK_BYTES < byteCount) {
    plain.set(content.block(nextBlock).subarray(0, REACH_BYTES), length);
  }
  return length;
}

/** Whether the packed file at `path` holds exactly the content of `entry`, and is undamaged. */
export function isPackOf(path: string, entry: FdEntry, index: BlockIndex): boolean {
  const isRight = () => {
    const packed = openPacked(path, entry.byteCount);
    using _packed = atEnd(packed.close);
    for (let block = 0; block < index.blockCount; block++) {
      const fromByte = block * BLOCK_BYTES;
      const bytes = packed.bytesAt(fromByte, Math.min(BLOCK_BYTES, entry.byteCount - fromByte));
      if (blockSum(bytes) !== index.at(block).blockSum) return false;
    }
    return packed.hasRightTable() && damagedFilters(packed, entry).length === 0;
  };
  return ifPossible(isRight, DamagedPack) ?? false;
}
