/**
 * Packs the content of an fd: writes it compressed beside the plain file, verifies it, and removes the plain file
 * (FORMAT.md, "Packed content"). Killed at any step, it leaves the plain content, or both, or the packed.
 *
 * @module
 */

import { constants } from "node:fs";
import { BLOCK_BYTES, blockSum } from "../bytes/block_sum.ts";
import { discard } from "../disk/discard.ts";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem, FdError } from "../disk/errors.ts";
import { nodeZlib } from "../disk/loaded_late.ts";
import { NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import { syncDirectory } from "../disk/sync_directory.ts";
import { unlinkIfExists } from "../disk/unlink_if_exists.ts";
import { writeWhole } from "../disk/write_whole.ts";
import type { BlockIndex } from "../index/index_file.ts";
import { encodeSeekTable, FRAME_BYTES, frameCountOf, frameLength } from "../packs/seek_table.ts";
import { DamagedPack, openPacked } from "../packs/stored_content.ts";
import { appendLine } from "../records/append_record.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { readLog } from "../records/record_log.ts";
import { type OpenContent, openContent } from "../slices/open_content.ts";
import type { Store } from "../store/open_store.ts";
import { indexPath, packBeside, shardPath, temporaryPath } from "../store/store_paths.ts";
import { offerShared, shareIndex, takeShared } from "./shared_packs.ts";

/** Higher levels save little for their time (docs/decisions.md). */
const LEVEL = 3;

/** Content whose first frames do not shrink to this part of them stays plain. */
export const WORTH_PACKING = 0.9;
export const TRIED_FRAMES = 8;

/** The outcome of packing one fd. */
export type Packing =
  /** `diskBytes` of a file that other fds of the store have too are 0. */
  | { how: "packed"; diskBytes: number }
  /** It would not become smaller. */
  | { how: "dense" };

/**
 * Packs the plain content of a sealed fd of at least two blocks.
 *
 * @throws {FdError} `store_corrupt` if the content is damaged, which stays as it is; `storage_full`, `write_error`.
 */
export async function packFd(store: Store, entry: FdEntry): Promise<Packing> {
  const content = openContent(store, entry);
  const fresh = temporaryPath(store.path, "pack");
  try {
    return await packContent(store, content, fresh);
  } catch (thrown) {
    discard(fresh);
    if (thrown instanceof FdError) throw thrown;
    return fail(failureOfSystem(thrown, "write", "pack", packBeside(entry.contentPath)));
  } finally {
    content.close();
  }
}

async function packContent(store: Store, content: OpenContent, fresh: string): Promise<Packing> {
  const { entry, index } = content;
  const path = packBeside(entry.contentPath);
  const isRight = (packed: string) => isPackOf(packed, entry, index);
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  if (!writePack(content, fresh, (plain) => hash.update(plain))) {
    appendLine(store, entry.id, { event: "dense" }, false);
    discard(fresh);
    return { how: "dense" };
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
  return { how: "packed", diskBytes };
}

/** Writes the content, frame by frame, to a new synced file. Returns false if its first frames do not shrink. */
function writePack(content: OpenContent, path: string, onPlain: (plain: Uint8Array) => void): boolean {
  const { byteCount } = content.entry;
  const file = openPrivate(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW);
  try {
    const plain = new Uint8Array(FRAME_BYTES);
    const packedLengths: number[] = [];
    let packedBytes = 0;
    for (let frame = 0; frame < frameCountOf(byteCount); frame++) {
      const length = readFrame(content, frame, plain);
      onPlain(plain.subarray(0, length));
      const packed = compressFrame(plain.subarray(0, length));
      writeWhole(file, packed);
      packedLengths.push(packed.length);
      packedBytes += packed.length;
      const isTried = frame + 1 === Math.min(TRIED_FRAMES, frameCountOf(byteCount));
      if (isTried && packedBytes > (frame * FRAME_BYTES + length) * WORTH_PACKING) return false;
    }
    writeWhole(file, encodeSeekTable(packedLengths, byteCount));
    disk.fsync(file);
    return true;
  } finally {
    disk.close(file);
  }
}

/** Reads the plain bytes of a frame into `plain`, and returns how many there are. */
export function readFrame(content: OpenContent, frame: number, plain: Uint8Array): number {
  const length = frameLength(frame, content.entry.byteCount);
  for (let at = 0; at < length; at += BLOCK_BYTES) {
    plain.set(content.block((frame * FRAME_BYTES + at) / BLOCK_BYTES), at);
  }
  return length;
}

/** Compresses one frame, which states the size of its content. */
export function compressFrame(plain: Uint8Array): Uint8Array {
  const { zstdCompressSync, constants: zlib } = nodeZlib();
  if (zstdCompressSync === undefined || zlib === undefined) {
    const wanted = "a runtime with zstd in node:zlib (Node.js 22.15 or later)";
    return fail({ kind: "invalid_parameter", field: "pack", got: process.version, wanted });
  }
  return zstdCompressSync(plain, {
    params: { [zlib.ZSTD_c_compressionLevel]: LEVEL },
    pledgedSrcSize: plain.length,
  });
}

/** Whether the packed file at `path` holds exactly the content of `entry`, by the sums of its blocks. */
export function isPackOf(path: string, entry: FdEntry, index: BlockIndex): boolean {
  try {
    const packed = openPacked(path, entry.byteCount);
    try {
      for (let block = 0; block < index.blockCount; block++) {
        const fromByte = block * BLOCK_BYTES;
        const bytes = packed.bytesAt(fromByte, Math.min(BLOCK_BYTES, entry.byteCount - fromByte));
        if (blockSum(bytes) !== index.at(block).blockSum) return false;
      }
      return true;
    } finally {
      packed.close();
    }
  } catch (thrown) {
    if (thrown instanceof DamagedPack) return false;
    throw thrown;
  }
}
