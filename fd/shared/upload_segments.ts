/** Uploads content in segments, which never change once they are written. @module */

import type { UploadSource } from "./upload_source.ts";
import { inParallel } from "./in_parallel.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import { parseSegmentKey, segmentKey, segmentsPrefix } from "./shared_keys.ts";

/** Segments in memory and on their way at the same time. */
const AT_ONCE = 2;

/** Whether segment `segment` exists with this length. */
export type IsThere = (segment: number, byteCount: number) => boolean;

/** Asks which segments of an interrupted upload exist. */
export async function segmentsThere(objects: ObjectStore, id: number, data: string): Promise<IsThere> {
  const lengths = new Map<number, number>();
  const prefix = segmentsPrefix(id, data);
  let after: string | undefined;
  for (;;) {
    const { objects: listed, isCut } = await objects.list(prefix, after);
    for (const { key, byteCount } of listed) {
      const name = parseSegmentKey(key);
      if (name !== undefined) lengths.set(name.segment, byteCount);
    }
    if (!isCut) return (segment, byteCount) => lengths.get(segment) === byteCount;
    after = listed.at(-1)?.key;
  }
}

export interface SegmentsToPut {
  id: number;
  data: string;
  segmentBytes: number;
  /** The first segment to upload. */
  from: number;
  /** The segment to stop before. */
  to: number;
  /** Bytes of the content so far. */
  byteCount: number;
  isThere: IsThere;
  /** Memory for segments, which is used again: what was sent is not freed at once. */
  buffers: Uint8Array<ArrayBuffer>[];
}

/** Uploads the next few segments and returns the number of the first that is left. */
export async function putSegments(
  objects: ObjectStore,
  source: Pick<UploadSource, "read">,
  { id, data, segmentBytes, from, to, byteCount, isThere, buffers }: SegmentsToPut,
): Promise<number> {
  const end = Math.min(to, from + AT_ONCE);
  const segments = Array.from({ length: end - from }, (_, at) => from + at);
  await inParallel(segments, AT_ONCE, async (segment) => {
    const at = segment * segmentBytes;
    const length = Math.min(segmentBytes, byteCount - at);
    if (isThere(segment, length)) return;
    const buffer = length === segmentBytes
      ? buffers[segment % AT_ONCE] ??= new Uint8Array(length)
      : undefined;
    await objects.put(segmentKey(id, data, segment), source.read(at, length, buffer));
  });
  return end;
}

/** Deletes all segments with this prefix. Returns how many there were. */
export async function removeSegments(objects: ObjectStore, id: number, data: string): Promise<number> {
  for (let count = 0;;) {
    const { objects: listed, isCut } = await objects.list(segmentsPrefix(id, data));
    await inParallel(listed, 8, ({ key }) => objects.remove(key));
    count += listed.length;
    if (!isCut) return count;
  }
}
