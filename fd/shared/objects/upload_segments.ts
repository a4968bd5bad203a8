/** Uploads content in segments, which never change once they are written. */

import { nodeCrypto } from "../../disk/loaded_late.ts";
import { inParallel } from "./in_parallel.ts";
import { listPages, type ObjectStore } from "../remote/object_store.ts";
import { sameBytes } from "../../bytes/utf8_bytes.ts";
import { parseSegmentKey, segmentKey, segmentsPrefix } from "./shared_keys.ts";

/** The local files of an fd. */
export interface UploadSource {
  readonly form: "plain" | "pack";
  /** The lines of its record: the claim, and the seal once it has ended. */
  record(): Uint8Array;
  /** The pages of its index, once it has ended. */
  index(): Uint8Array;
  /** Whether no bytes will come any more. */
  hasEnded(): boolean;
  /** Bytes of content in the file. */
  byteCount(): number;
  /** Reads exactly these bytes of the file, into `into` if it is given, which has the same length. */
  read(fromByte: number, byteCount: number, into?: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
}

/** Segments in memory and on their way at the same time. */
const AT_ONCE = 2;

/** Returns the etag of segment `segment` if it exists with this length. */
type IsThere = (segment: number, byteCount: number) => string | undefined;

/** Asks which segments of an interrupted upload exist. */
export async function segmentsThere(objects: ObjectStore, id: number, data: string): Promise<IsThere> {
  const found = new Map<number, { byteCount: number; etag: string }>();
  for await (const { objects: listed } of listPages(objects, segmentsPrefix(id, data))) {
    for (const { key, byteCount, etag } of listed) {
      const name = parseSegmentKey(key);
      if (name !== undefined) found.set(name.segment, { byteCount, etag });
    }
  }
  return (segment, byteCount) => {
    const there = found.get(segment);
    return there?.byteCount === byteCount ? there.etag : undefined;
  };
}

/** The place of content in segments: the id of its fd, and the `data` and `segment_bytes` of its stored line. */
export interface SegmentsOf {
  id: number;
  data: string;
  segmentBytes: number;
}

/** Fetches bytes `[fromByte, toByte)` in segments, and gives each piece to `take`. Returns false if a segment is missing. */
export async function readSegments(
  objects: ObjectStore,
  { id, data, segmentBytes }: SegmentsOf,
  { fromByte, toByte }: { fromByte: number; toByte: number },
  take: (fromByte: number, bytes: Uint8Array) => void,
): Promise<boolean> {
  const parts: Promise<boolean>[] = [];
  for (let from = fromByte; from < toByte;) {
    const segment = Math.floor(from / segmentBytes);
    const to = Math.min(toByte, (segment + 1) * segmentBytes);
    const at = from;
    const range = { from: at - segment * segmentBytes, byteCount: to - at };
    const getting = objects.get(segmentKey(id, data, segment), range);
    parts.push(getting.then((part) => {
      if (part !== null) take(at, part.bytes);
      return part !== null;
    }));
    from = to;
  }
  return (await Promise.all(parts)).every((isThere) => isThere);
}

interface SegmentsToPut extends SegmentsOf {
  /** The first segment to upload. */
  from: number;
  /** The segment to stop before. */
  to: number;
  /** Bytes of the content so far. */
  byteCount: number;
  isThere: IsThere;
  /** Memory for segments, which is used again: what was sent is not freed at once. */
  buffers: Uint8Array<ArrayBuffer>[];
  /** Called after each segment with the number of the first that is left. Returns whether to go on with the next ones. */
  goesOn(next: number): boolean;
}

/**
 * Uploads segments, {@link AT_ONCE} at a time, and returns the number of the first that is left. Returns undefined if one
 * exists with other bytes: a host with a copy of the note wrote it.
 */
export async function putSegments(
  objects: ObjectStore,
  source: Pick<UploadSource, "read">,
  { id, data, segmentBytes, from, to, byteCount, isThere, buffers, goesOn }: SegmentsToPut,
): Promise<number | undefined> {
  let [next, end, doneCount, areOwn] = [from, to, 0, true];
  const put = async (segment: number, place: number): Promise<void> => {
    const at = segment * segmentBytes;
    const length = Math.min(segmentBytes, byteCount - at);
    const buffer = length === segmentBytes ? buffers[place] ??= new Uint8Array(length) : undefined;
    const bytes = source.read(at, length, buffer);
    const key = segmentKey(id, data, segment);
    const etag = isThere(segment, length);
    const isOwn = etag === undefined
      ? await objects.create(key, bytes) !== null
      : await holds(objects, key, etag, bytes);
    if (!isOwn) areOwn = false;
  };
  // One is read and encrypted while the other is on its way.
  await inParallel(Array.from({ length: AT_ONCE }, (_, place) => place), AT_ONCE, async (place) => {
    while (next < end) {
      let isDone = false;
      try {
        await put(next++, place);
        isDone = areOwn && goesOn(from + ++doneCount);
      } finally {
        if (!isDone) end = next;
      }
    }
  });
  return areOwn ? end : undefined;
}

/** Whether the object `key` has these bytes. Of most stores the etag says so; those that encrypt with KMS are asked. */
async function holds(objects: ObjectStore, key: string, etag: string, bytes: Uint8Array<ArrayBuffer>) {
  if (nodeCrypto().createHash("md5").update(bytes).digest("hex") === etag) return true;
  const part = await objects.get(key);
  // Deleted in the bucket just now.
  if (part === null) return await objects.create(key, bytes) !== null;
  return sameBytes(part.bytes, bytes);
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
