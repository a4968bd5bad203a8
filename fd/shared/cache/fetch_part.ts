/**
 * Fetches parts of a shared store into its cache.
 */

import { fail, failureOfSystem, ifPossible, systemCode } from "../../disk/errors.ts";
import type { Part, RemoteRecords } from "../../store/backend.ts";
import { listSharedNames, readSharedName } from "../objects/shared_names.ts";
import { boundCache, sizeOfCache } from "./bound_cache.ts";
import { fetchFrames } from "./fetch_frames.ts";
import { knownId } from "./pending_fds.ts";
import { disk } from "../../disk/disk.ts";
import { BLOCK_BYTES } from "../../bytes/block_sum.ts";
import { ENTRIES_PER_PAGE, PAGE_BYTES } from "../../index/index_file.ts";
import { OBJECT_HEADER_BYTES, objectEnd, objectParts } from "../../packs/object_form.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import {
  failDamaged,
  readShared,
  readWholeObject,
  SEGMENT_BYTES,
  type SharedFd,
  stateOf,
} from "../objects/fd_object.ts";
import { fdKey, segmentKey } from "../objects/shared_keys.ts";
import { listAllShared, listNewestShared } from "../objects/list_shared.ts";
import { readSegments } from "../objects/upload_segments.ts";
import { readLog } from "../../records/record_log.ts";
import type { Store } from "../../store/open_store.ts";
import { originPath } from "../../store/cache_paths.ts";
import { contentPath, indexPath, packPath, recordPath } from "../../store/store_paths.ts";
import { unlinkIfExists } from "../../disk/file_calls.ts";
import { readOrigin, RECORD_MS, writeOrigin } from "./origin_file.ts";
import { makeShard, placeFile, placeHoles, placeName, placeNames, placePart } from "./place_parts.ts";

/** Bytes of an index around a page that is missing: a search for a line seldom looks further. */
const INDEX_WINDOW_BYTES = 65_536;

/** Fetches a part. If the disk is full, first deletes the files that were not read for longest. */
export async function fetchWithRoom(
  store: Store,
  objects: () => Promise<ObjectStore>,
  part: Part,
): Promise<RemoteRecords | undefined> {
  for (let hasRoom = false;; hasRoom = true) {
    try {
      return await fetchPart(store, await objects(), part);
    } catch (thrown) {
      if (hasRoom || systemCode(thrown) !== "ENOSPC") {
        fail(failureOfSystem(thrown, "write", "cache what was fetched", store.path));
      }
      const inUse = "id" in part ? part.id : undefined;
      boundCache(store, Math.max(1, sizeOfCache(store).diskBytes / 2), Date.now(), inUse);
    }
  }
}

async function fetchPart(
  store: Store,
  objects: ObjectStore,
  part: Part,
): Promise<RemoteRecords | undefined> {
  if (part.kind === "record") await fetchRecord(store, objects, part.id);
  else if (part.kind === "index") await fetchIndex(store, objects, part);
  else if (part.kind === "block") await fetchBlocks(store, objects, part);
  else if (part.kind === "name") placeName(store, part.name, await readSharedName(objects, part.name));
  else if (part.kind === "names") placeNames(store, await listSharedNames(objects));
  else {
    const { most } = part;
    const known = knownId(store)?.id;
    const listing = most === undefined
      ? listAllShared(objects, fail, known)
      : listNewestShared(objects, most, fail, known);
    return { records: await listing };
  }
  return undefined;
}

/** Fetches the record of an fd: a small fd whole, and of a large one the index pages in the first response. */
async function fetchRecord(store: Store, objects: ObjectStore, id: number): Promise<void> {
  let fd = await readShared(objects, id);
  if (fd === undefined) return;
  const { seal, tomb } = fd.log;
  refuseOther(store, fd);
  const isInside = fd.header.contentBytes > 0;
  if (isInside && fd.bytes.length < objectEnd(fd.header)) fd = await readWholeObject(objects, id);
  if (fd === undefined) return;
  const { record, index, content } = objectParts(fd.bytes, fd.header);
  makeShard(store, id);
  if (tomb !== undefined) {
    for (const path of [contentPath, packPath, indexPath, originPath]) unlinkIfExists(path(store.path, id));
  } else if (seal === undefined) await placeLive(store, objects, fd, content);
  else if (isInside || seal.bytes === 0) {
    if (index.length > 0) placeFile(store, indexPath(store.path, id), index);
    if (content.length > 0) placeFile(store, contentPath(store.path, id), content);
  } else placeHead(store, fd, index, seal.bytes);
  placeFile(store, recordPath(store.path, id), record);
  if (seal === undefined && tomb === undefined) age(recordPath(store.path, id));
}

/** Refuses an object that contradicts what this host has seen of the fd: a seal does not change, nor is a removal taken back. */
function refuseOther(store: Store, { id, log: { seal, tomb } }: SharedFd): void {
  const seen = ifPossible(() => readLog(store, id));
  if (tomb !== undefined || seen === undefined) return;
  if (seen.tomb !== undefined) failDamaged(id, "it was removed before, and is there again");
  if (seen.seal !== undefined && JSON.stringify(seen.seal) !== JSON.stringify(seal)) {
    failDamaged(id, "this host has seen it sealed with other content");
  }
}

/** The record of an fd that is being written is current for a moment only. */
const LIVE_MS = 2000;

/** Sets the time of a record back, so that it is soon fetched again. */
function age(path: string): void {
  const seconds = (Date.now() - RECORD_MS + LIVE_MS) / 1000;
  disk.utimes(path, seconds, seconds);
}

/** Puts the shared part of an fd that is still being written into the cache. */
async function placeLive(store: Store, objects: ObjectStore, fd: SharedFd, tail: Uint8Array): Promise<void> {
  const { id, etag, header, log, serverNowMs } = fd;
  const path = contentPath(store.path, id);
  const { data, segment_bytes: segmentBytes, bytes, host, form } = log.stored!;
  // Packed content is complete on its host, and can be read as soon as the rest of it is here.
  const isPacked = form === "pack";
  const tailAt = isPacked ? 0 : bytes;
  const have = disk.lstat(path, { throwIfNoEntry: false })?.size ?? 0;
  for (let from = have; from < tailAt;) {
    const segment = Math.floor(from / segmentBytes);
    const at = from - segment * segmentBytes;
    const byteCount = Math.min(SEGMENT_BYTES, segmentBytes - at);
    const part = await objects.get(segmentKey(id, data, segment), { from: at, byteCount });
    if (part === null || part.bytes.length === 0) break;
    placePart(path, from + part.bytes.length, from, part.bytes);
    from += part.bytes.length;
  }
  const isUpToTail = (disk.lstat(path, { throwIfNoEntry: false })?.size ?? 0) >= tailAt;
  if (tail.length > 0 && !isPacked && isUpToTail) placePart(path, tailAt + tail.length, tailAt, tail);
  const live = { host, asOfMs: serverNowMs, isDead: stateOf(fd) === "incomplete" };
  writeOrigin(store, id, { etag, recordBytes: header.recordBytes, indexBytes: 0, live });
}

/** Puts the record and the index pages of a large fd into the cache. */
function placeHead(
  store: Store,
  { id, etag, header, log }: SharedFd,
  index: Uint8Array,
  byteCount: number,
): void {
  const { recordBytes, indexBytes } = header;
  const { stored } = log;
  const packedBytes = stored?.form === "pack" ? stored.bytes : undefined;
  const segments = stored &&
    { data: stored.data, segmentBytes: stored.segment_bytes, byteCount, packedBytes };
  writeOrigin(store, id, { etag, recordBytes, indexBytes, segments });
  const pages = index.length === indexBytes
    ? index
    : index.subarray(0, index.length - index.length % PAGE_BYTES);
  placePart(indexPath(store.path, id), indexBytes, 0, pages);
  // The host that shared packed content still has it.
  const hasPack = disk.lstat(packPath(store.path, id), { throwIfNoEntry: false }) !== undefined;
  if (!hasPack) placeHoles(contentPath(store.path, id), byteCount);
}

/** Blocks of an fd, or their entries. */
type Blocks = Extract<Part, { blockCount?: unknown }>;

/** Fetches the pages of the index that have the entries of `blockCount` blocks, and pages around them. */
async function fetchIndex(
  store: Store,
  objects: ObjectStore,
  { id, block, blockCount = 1 }: Blocks,
): Promise<void> {
  const origin = readOrigin(store, id);
  if (origin === undefined) return await fetchRecord(store, objects, id);
  const page = Math.floor(block / ENTRIES_PER_PAGE);
  const pageCount = Math.ceil((block + blockCount) / ENTRIES_PER_PAGE) - page;
  const around = Math.floor(Math.max(0, INDEX_WINDOW_BYTES / PAGE_BYTES - pageCount) / 2);
  const from = Math.max(0, page - around) * PAGE_BYTES;
  const byteCount = Math.min(
    Math.max(INDEX_WINDOW_BYTES, (page + pageCount) * PAGE_BYTES - from),
    origin.indexBytes - from,
  );
  const at = OBJECT_HEADER_BYTES + origin.recordBytes + from;
  const part = await objects.get(fdKey(id), { from: at, byteCount });
  if (part === null) return;
  // The object was replaced, so its offsets changed.
  if (part.etag !== origin.etag) return await fetchRecord(store, objects, id);
  placePart(indexPath(store.path, id), origin.indexBytes, from, part.bytes);
}

/** Fetches `blockCount` blocks of content, from `block` on, fewer at its end. Those of a missing segment stay holes. */
async function fetchBlocks(
  store: Store,
  objects: ObjectStore,
  { id, block, blockCount = 1 }: Blocks,
): Promise<void> {
  const segments = readOrigin(store, id)?.segments;
  if (segments === undefined) return await fetchRecord(store, objects, id);
  const { byteCount, packedBytes } = segments;
  const toByte = Math.min(byteCount, (block + blockCount) * BLOCK_BYTES);
  const range = { fromByte: block * BLOCK_BYTES, toByte };
  const path = contentPath(store.path, id);
  const place = (fromByte: number, bytes: Uint8Array) => placePart(path, byteCount, fromByte, bytes);
  if (packedBytes === undefined) await readSegments(objects, { ...segments, id }, range, place);
  else await fetchFrames(objects, { ...segments, id, packedBytes }, range, place);
}
