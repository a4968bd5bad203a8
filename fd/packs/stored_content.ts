/**
 * Content as it is stored: a plain file, or a packed one of the same name (FORMAT.md, "Packed content"). Both are read by
 * plain offsets.
 *
 * @module
 */

import { constants } from "node:fs";
import { closeReader } from "../disk/close_reader.ts";
import { disk } from "../disk/disk.ts";
import { fail, systemCode } from "../disk/errors.ts";
import { nodeZlib } from "../disk/loaded_late.ts";
import { NO_FOLLOW } from "../disk/private_files.ts";
import { packBeside } from "../store/store_paths.ts";
import {
  canHold,
  decodeSeekTable,
  FOOTER_BYTES,
  footerFrameCount,
  FRAME_BYTES,
  frameCountOf,
  frameHeader,
  frameLength,
  plainLength,
  seekTableLength,
  walkFrames,
} from "./seek_table.ts";

/** An open content file: the descriptor of a plain one, or a packed one. */
export type StoredContent = number | PackedContent;

/** Thrown if packed bytes cannot be turned into those that were stored. The range is in plain bytes. */
export class DamagedPack extends Error {
  override readonly name = "DamagedPack";
  readonly fromByte: number;
  readonly toByte: number;

  constructor(what: string, fromByte: number, toByte: number) {
    super(what);
    this.fromByte = fromByte;
    this.toByte = toByte;
  }
}

/** An open packed content file. */
export interface PackedContent {
  /** Plain bytes. */
  readonly byteCount: number;
  /** Returns plain bytes of one frame; valid for ever. Throws {@link DamagedPack} and system errors. */
  bytesAt(fromByte: number, byteLength: number): Uint8Array;
  close(): void;
}

/**
 * Opens the content at `path`, plain or packed; the plain one if both exist. Packed content must hold `byteCount` bytes,
 * or any number if it is undefined. Throws {@link DamagedPack}, and system errors unchanged: ENOENT if neither exists.
 */
export function openStored(path: string, byteCount?: number): StoredContent {
  try {
    return disk.open(path, constants.O_RDONLY | NO_FOLLOW);
  } catch (thrown) {
    if (systemCode(thrown) !== "ENOENT") throw thrown;
  }
  return openPacked(packBeside(path), byteCount);
}

export function closeStored(content: StoredContent): void {
  if (typeof content === "number") closeReader(content);
  else content.close();
}

/**
 * Reads up to `length` plain bytes at `fromByte`, like `disk.read`; fewer at the end of a frame.
 */
export function readStored(
  content: StoredContent,
  into: Uint8Array,
  at: number,
  length: number,
  fromByte: number,
): number {
  if (typeof content === "number") return disk.read(content, into, at, length, fromByte);
  const most = Math.min(length, FRAME_BYTES - fromByte % FRAME_BYTES, content.byteCount - fromByte);
  if (most <= 0) return 0;
  into.set(content.bytesAt(fromByte, most), at);
  return most;
}

/** Opens a packed file; see {@link openStored}. */
export function openPacked(path: string, wantedBytes?: number): PackedContent {
  const file = disk.open(path, constants.O_RDONLY | NO_FOLLOW);
  let byteCount: number;
  let offsets: Float64Array;
  try {
    byteCount = wantedBytes ?? claimedLength(file);
    offsets = frameOffsets(file, byteCount);
  } catch (thrown) {
    closeReader(file);
    throw thrown;
  }
  let frameAt = -1;
  let plain: Uint8Array;
  return {
    byteCount,
    bytesAt(fromByte, byteLength) {
      const frame = Math.floor(fromByte / FRAME_BYTES);
      if (frame !== frameAt) {
        frameAt = -1;
        const packed = readAt(file, offsets[frame]!, offsets[frame + 1]! - offsets[frame]!);
        plain = unpackFrame(packed, frame, byteCount, path);
        frameAt = frame;
      }
      const start = fromByte - frame * FRAME_BYTES;
      return plain.subarray(start, start + byteLength);
    },
    close: () => closeReader(file),
  };
}

/** Returns the plain bytes that the seek table claims. */
function claimedLength(file: number): number {
  const { size } = disk.fstat(file);
  const frameCount = footerFrameCount(readAt(file, Math.max(0, size - FOOTER_BYTES), FOOTER_BYTES));
  const length = seekTableLength(frameCount ?? 0);
  const byteCount = frameCount === undefined || length > size || !canHold(frameCount, size)
    ? undefined
    : plainLength(readAt(file, size - length, length));
  return byteCount ?? failPack("the packed content has no valid seek table", 0, 0);
}

function frameOffsets(file: number, byteCount: number): Float64Array {
  const { size } = disk.fstat(file);
  const length = seekTableLength(frameCountOf(byteCount));
  const offsets = !canHold(frameCountOf(byteCount), size)
    ? undefined
    : decodeSeekTable(readAt(file, Math.max(0, size - length), length), byteCount, size) ??
      walkFrames((offset, most) => readAt(file, offset, most), byteCount);
  return offsets ?? failPack("the packed content is damaged or of another length", 0, byteCount);
}

function unpackFrame(packed: Uint8Array, frame: number, byteCount: number, path: string): Uint8Array {
  const length = frameLength(frame, byteCount);
  const fromByte = frame * FRAME_BYTES;
  // A frame that claims another size is refused before memory is taken for it.
  if (frameHeader(packed)?.plainBytes === length) {
    const plain = decompress(packed, length, path);
    if (plain?.length === length) return plain;
  }
  return failPack("a packed frame is damaged", fromByte, fromByte + length);
}

/** Returns at most `most` bytes; undefined if `packed` is damaged or holds more. */
function decompress(packed: Uint8Array, most: number, path: string): Uint8Array | undefined {
  const { zstdDecompressSync } = nodeZlib();
  if (zstdDecompressSync === undefined) {
    const action = "unpack (Node.js 22.15 or later is needed)";
    return fail({ kind: "read_error", path, action, code: "ENOSYS" });
  }
  try {
    return zstdDecompressSync(packed, { maxOutputLength: most });
  } catch {
    // How runtimes report damage differs.
    return undefined;
  }
}

/** Reads up to `length` bytes at `offset`; fewer at the end of the file. */
function readAt(file: number, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const got = disk.read(file, bytes, filled, length - filled, offset + filled);
    if (got === 0) break;
    filled += got;
  }
  return bytes.subarray(0, filled);
}

function failPack(what: string, fromByte: number, toByte: number): never {
  throw new DamagedPack(what, fromByte, toByte);
}
