/**
 * Fetches content that was packed before it was shared. Its frames lie in the segments as they are in a packed file
 * (FORMAT.md, "Packed content"); a cache keeps what they unpack to, so that all its content is plain.
 */

import {
  decodeSeekTable,
  entryOfFrame,
  FRAME_BYTES,
  frameLength,
  longestTable,
  tableIn,
} from "../../packs/seek_table.ts";
import { unpacked } from "../../packs/stored_content.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import { segmentKey } from "../objects/shared_keys.ts";
import { readSegments, type SegmentsOf } from "../objects/upload_segments.ts";

/** Packed content in segments. */
interface PackedSegments extends SegmentsOf {
  packedBytes: number;
  /** Plain bytes. */
  byteCount: number;
}

/**
 * Fetches the frames with the plain bytes `[fromByte, toByte)`, and gives each that is not missing or damaged to `place`.
 */
export async function fetchFrames(
  objects: ObjectStore,
  packed: PackedSegments,
  { fromByte, toByte }: { fromByte: number; toByte: number },
  place: (fromByte: number, bytes: Uint8Array) => void,
): Promise<void> {
  const { packedBytes, byteCount } = packed;
  const tableAt = Math.max(0, packedBytes - longestTable(byteCount));
  const lastBytes = await readPacked(objects, packed, tableAt, packedBytes);
  if (lastBytes === undefined) return;
  const places = decodeSeekTable(tableIn(lastBytes, byteCount), byteCount, packedBytes);
  // The hole stays; readers report it as damage.
  if (places === undefined) return;
  const placeOf = (frame: number) => places.at(entryOfFrame(frame, places.filterCount))!;
  const first = Math.floor(fromByte / FRAME_BYTES);
  const end = Math.ceil(toByte / FRAME_BYTES);
  const firstByte = placeOf(first).fromByte;
  const frames = await readPacked(objects, packed, firstByte, placeOf(end - 1).toByte);
  if (frames === undefined) return;
  for (let frame = first; frame < end; frame++) {
    const at = placeOf(frame);
    const key = segmentKey(packed.id, packed.data, Math.floor(at.fromByte / packed.segmentBytes));
    const packedFrame = frames.subarray(at.fromByte - firstByte, at.toByte - firstByte);
    const bytes = unpacked(packedFrame, frameLength(frame, byteCount), key);
    if (bytes !== undefined) place(frame * FRAME_BYTES, bytes);
  }
}

/** Returns packed bytes; undefined if a segment is missing. A short segment is filled up with zeros. */
async function readPacked(
  objects: ObjectStore,
  packed: PackedSegments,
  fromByte: number,
  toByte: number,
): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(toByte - fromByte);
  const take = (at: number, part: Uint8Array) => bytes.set(part, at - fromByte);
  return await readSegments(objects, packed, { fromByte, toByte }, take) ? bytes : undefined;
}
