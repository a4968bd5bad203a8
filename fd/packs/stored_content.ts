/**
 * Content as it is stored: a plain file, or a packed one of the same name (FORMAT.md, "Packed content"). Both are read by
 * plain offsets.
 */

import { closeReader, readAt } from "../disk/file_calls.ts";
import { disk } from "../disk/disk.ts";
import { fail, ifPossible } from "../disk/errors.ts";
import { nodeZlib } from "../disk/loaded_late.ts";
import { openReader } from "../disk/private_files.ts";
import { packBeside } from "../store/store_paths.ts";
import {
  canHold,
  decodeSeekTable,
  entryOfFilter,
  entryOfFrame,
  FOOTER_BYTES,
  footerFrameCount,
  FRAME_BYTES,
  frameCountOf,
  frameHeader,
  frameLength,
  type FramePlaces,
  longestTable,
  placesInTable,
  plainLength,
  seekTableLength,
  tableIn,
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
  /**
   * Unpacks the frames of plain bytes `[fromByte, toByte)` before `bytesAt` needs them, if they are few: without
   * `node:zlib`, which costs a small read as much as all else. Undefined if they are many.
   */
  prepare(fromByte: number, toByte: number): Promise<void> | undefined;
  /** Filters in the file: one for each group of frames, or none. */
  readonly filterCount: number;
  /** Returns the filter of a group of frames as it is in the file; undefined if there is none, or the seek table is damaged. */
  filter(group: number): Uint8Array | undefined;
  /** Whether the seek table is undamaged and at the end of the file. Without it, reads find frames by their headers. */
  hasRightTable(): boolean;
  close(): void;
}

/**
 * Opens the content at `path`, plain or packed; the plain one if both exist. Packed content must hold `byteCount` bytes,
 * or any number if it is undefined. Throws {@link DamagedPack}, and system errors unchanged: ENOENT if neither exists.
 */
export function openStored(path: string, byteCount?: number): StoredContent {
  return ifPossible(() => openReader(path), "ENOENT") ?? openPacked(packBeside(path), byteCount);
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

/** Frames that are unpacked before they are needed, and those that are kept. */
const MAX_PREPARED = 3;

/** Opens a packed file; see {@link openStored}. */
export function openPacked(path: string, wantedBytes?: number): PackedContent {
  const file = openReader(path);
  let byteCount: number;
  let places: FramePlaces;
  let areChecked = false;
  try {
    byteCount = wantedBytes ?? claimedLength(file);
    const { size } = disk.fstat(file);
    const table = readTable(file, byteCount, size);
    places = placesInTable(table, byteCount, size) ?? checkedPlaces(table);
  } catch (thrown) {
    closeReader(file);
    throw thrown;
  }
  let frameAt = -1;
  let plain: Uint8Array;
  const prepared = new Map<number, Uint8Array>();

  function checkedPlaces(table: Uint8Array): FramePlaces {
    areChecked = true;
    return framePlaces(file, table, byteCount);
  }

  function bytesOfEntry(entry: number): Uint8Array | undefined {
    const place = places.at(entry);
    return place && readPart(file, place.fromByte, place.toByte - place.fromByte);
  }

  function packedFrame(frame: number): Uint8Array | undefined {
    return bytesOfEntry(entryOfFrame(frame, places.filterCount));
  }

  async function prepareFrames(first: number, end: number): Promise<void> {
    const { unpackedByStream } = await import("./unpack_by_stream.ts");
    for (let frame = first; frame < end; frame++) {
      if (prepared.has(frame)) continue;
      const packed = packedFrame(frame);
      const bytes = packed && await unpackedByStream(packed, frameLength(frame, byteCount));
      // The read that needs it says what is wrong with it.
      if (bytes === undefined) return;
      if (prepared.size === MAX_PREPARED) prepared.delete(prepared.keys().next().value!);
      prepared.set(frame, bytes);
    }
  }

  function unpackFrame(frame: number): Uint8Array {
    const packed = packedFrame(frame);
    const length = frameLength(frame, byteCount);
    const bytes = packed && unpacked(packed, length, path);
    if (bytes !== undefined) return bytes;
    if (areChecked) {
      return failPack("a packed frame is damaged", frame * FRAME_BYTES, frame * FRAME_BYTES + length);
    }
    // Damage to the table would look the same.
    places = checkedPlaces(readTable(file, byteCount, disk.fstat(file).size));
    return unpackFrame(frame);
  }

  return {
    byteCount,
    prepare(fromByte, toByte) {
      const first = Math.floor(fromByte / FRAME_BYTES);
      const end = Math.ceil(toByte / FRAME_BYTES);
      return end - first > MAX_PREPARED ? undefined : prepareFrames(first, end);
    },
    get filterCount() {
      return places.filterCount;
    },
    filter(group) {
      if (group >= places.filterCount) return undefined;
      return bytesOfEntry(entryOfFilter(group, frameCountOf(byteCount)));
    },
    bytesAt(fromByte, byteLength) {
      const frame = Math.floor(fromByte / FRAME_BYTES);
      if (frame !== frameAt) {
        frameAt = -1;
        plain = prepared.get(frame) ?? unpackFrame(frame);
        frameAt = frame;
      }
      const start = fromByte - frame * FRAME_BYTES;
      return plain.subarray(start, start + byteLength);
    },
    hasRightTable() {
      const { size } = disk.fstat(file);
      return decodeSeekTable(readTable(file, byteCount, size), byteCount, size) !== undefined;
    },
    close: () => closeReader(file),
  };
}

/** Returns the plain bytes that the seek table claims. */
function claimedLength(file: number): number {
  const { size } = disk.fstat(file);
  const frameCount = footerFrameCount(readPart(file, Math.max(0, size - FOOTER_BYTES), FOOTER_BYTES));
  const length = seekTableLength(frameCount ?? 0);
  const byteCount = frameCount === undefined || length > size || !canHold(frameCount, size)
    ? undefined
    : plainLength(readPart(file, size - length, length));
  return byteCount ?? failPack("the packed content has no valid seek table", 0, 0);
}

/** Reads what must be the seek table of `byteCount` plain bytes. */
function readTable(file: number, byteCount: number, fileBytes: number): Uint8Array {
  if (!canHold(frameCountOf(byteCount), fileBytes)) failTable(byteCount);
  const length = longestTable(byteCount);
  return tableIn(readPart(file, Math.max(0, fileBytes - length), length), byteCount);
}

/** Returns the places of all frames, by the table if all of it is right. */
function framePlaces(file: number, table: Uint8Array, byteCount: number): FramePlaces {
  return decodeSeekTable(table, byteCount, disk.fstat(file).size) ??
    walkFrames((offset, most) => readPart(file, offset, most), byteCount) ??
    failTable(byteCount);
}

function failTable(byteCount: number): never {
  failPack("the packed content is damaged or of another length", 0, byteCount);
}

/** The least that Node takes as the size of a piece. */
const MIN_CHUNK_BYTES = 64;

/** Returns the `length` bytes in a frame; undefined if it is damaged or holds another number of them. Failures name `path`. */
export function unpacked(packed: Uint8Array, length: number, path: string): Uint8Array | undefined {
  // A frame that claims another size is refused before memory is taken for it.
  if (frameHeader(packed)?.plainBytes !== length) return undefined;
  const { zstdDecompressSync } = nodeZlib();
  if (zstdDecompressSync === undefined) {
    const action = "unpack (Node.js 22.15 or later is needed)";
    return fail({ kind: "read_error", path, action, code: "ENOSYS" });
  }
  // In one piece: joining pieces of 16 KiB, the default, takes a tenth of the time.
  const chunkSize = Math.max(length, MIN_CHUNK_BYTES);
  // How runtimes report damage differs.
  const plain = ifPossible(() => zstdDecompressSync(packed, { maxOutputLength: length, chunkSize }), Error);
  return plain?.length === length ? plain : undefined;
}

/** Reads up to `length` bytes at `offset`; fewer at the end of the file. */
function readPart(file: number, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  return bytes.subarray(0, readAt(file, bytes, offset));
}

function failPack(what: string, fromByte: number, toByte: number): never {
  throw new DamagedPack(what, fromByte, toByte);
}
