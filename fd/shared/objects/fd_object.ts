/**
 * The object of an fd, in each of its states (SHARED.md, "The fd object").
 */

import { BLOCK_BYTES } from "../../bytes/block_sum.ts";
import { hexOf, joinBytes, sameBytes } from "../../bytes/utf8_bytes.ts";
import { failCorrupt, failureIn } from "../../disk/errors.ts";
import type { FdFailure } from "../../failures.ts";
import { indexLength } from "../../index/index_file.ts";
import {
  addressObject,
  decodeObjectHeader,
  encodeObject,
  OBJECT_HEADER_BYTES,
  type ObjectContents,
  objectEnd,
  type ObjectHeader,
  objectParts,
} from "../../packs/object_form.ts";
import { canHold, frameCountOf, longestPack } from "../../packs/seek_table.ts";
import type { KeepLine, StoredLine, TombLine } from "../../records/record_line.ts";
import { decodeLog, type RecordLog } from "../../records/record_log.ts";
import type { Bytes, ObjectFacts, ObjectPart, ObjectStore } from "../remote/object_store.ts";
import { encodeCheckedLine } from "../../store/checked_log.ts";
import { formatFd } from "../../store/fd_id.ts";
import { bytesOfHex, fdKey } from "./shared_keys.ts";

/** Content up to this size is in the object itself. */
export const MAX_INSIDE_BYTES = 2 ** 20;
/** Content beyond is in segments of this size. */
export const SEGMENT_BYTES = 8 * 2 ** 20;
/** A live object that was not replaced for this long has a dead writer. */
const DEAD_WRITER_MS = 24 * 60 * 60 * 1000;
/** The first request for an fd: all of a small one; of others the record and the first index pages. */
const FIRST_BYTES = 64 * 1024;

/** An fd on the object store, as of one request. */
export interface SharedFd extends ObjectFacts {
  id: number;
  header: ObjectHeader;
  log: RecordLog;
  /** The object's first bytes, with at least header and record. */
  bytes: Bytes;
}

export type SharedState = "live" | "sealed" | "incomplete" | "removed";

/** The state of a shared fd. If its writer counts as dead, it is incomplete, though it has no seal. */
export function stateOf(
  fd: Pick<SharedFd, "modifiedAtMs" | "serverNowMs"> & { log: Pick<RecordLog, "seal" | "tomb"> },
): SharedState {
  if (fd.log.tomb !== undefined) return "removed";
  if (fd.log.seal !== undefined) return fd.log.seal.ended === "whole" ? "sealed" : "incomplete";
  return fd.serverNowMs - fd.modifiedAtMs < DEAD_WRITER_MS ? "live" : "incomplete";
}

/** Reads fd `id`: at most `firstBytes` of it, or more if its record is longer. Returns undefined if there is none. */
export async function readShared(
  objects: ObjectStore,
  id: number,
  firstBytes = FIRST_BYTES,
): Promise<SharedFd | undefined> {
  for (let byteCount = firstBytes;;) {
    const part = await objects.get(fdKey(id), { from: 0, byteCount });
    if (part === null) return undefined;
    const wanted = recordEnd(id, part);
    if (wanted <= part.bytes.length) return decodeShared(id, part, objects.storeId);
    if (part.bytes.length === part.byteCount) failDamaged(id, "the object is truncated");
    byteCount = wanted;
  }
}

/** Of an object that is read whole, the first request has this much: all, unless the index is of more than 2 GiB. */
const WHOLE_BYTES = 4 * 2 ** 20;

/** Reads the whole object of fd `id`. */
export async function readWholeObject(objects: ObjectStore, id: number): Promise<SharedFd | undefined> {
  for (let byteCount = WHOLE_BYTES;;) {
    const fd = await readShared(objects, id, byteCount);
    if (fd === undefined || fd.bytes.length === fd.byteCount) return fd;
    byteCount = fd.byteCount;
  }
}

function recordEnd(id: number, { bytes }: ObjectPart): number {
  const header = decodeObjectHeader(bytes);
  if (typeof header === "string") failDamaged(id, header);
  if (header.recordBytes > MAX_LINES_BYTES) failDamaged(id, `its record has ${header.recordBytes} bytes`);
  return OBJECT_HEADER_BYTES + header.recordBytes;
}

/** Decodes the first bytes of an object, with at least its record, of the store with the id `storeId` if that is known. */
export function decodeShared(id: number, part: ObjectPart, storeId: string | undefined): SharedFd {
  const header = decodeObjectHeader(part.bytes);
  if (typeof header === "string") failDamaged(id, header);
  const end = objectEnd(header);
  // Before anything is decoded.
  if (part.byteCount - end > MAX_LATER_BYTES || header.contentBytes > MAX_INSIDE_BYTES) {
    failDamaged(id, `the object has ${part.byteCount} bytes, its parts ${end}`);
  }
  const { record, appended, isWhole } = objectParts(part.bytes, header);
  const log = decodeLog(record);
  if (isWhole) decodeLog(appended, log);
  const fd = { ...part, id, header, log };
  const what = damageOf(fd, storeId);
  if (what !== undefined) failDamaged(id, what);
  return fd;
}

export function failDamaged(id: number, what: string): never {
  failCorrupt(fdKey(id), what, formatFd(id));
}

/** Returns what `read` gives or, if what it reads is damaged, what `otherwise` makes of that. */
export async function unlessDamaged<Read, Otherwise>(
  read: () => Promise<Read>,
  otherwise: (failure: Extract<FdFailure, { kind: "store_corrupt" }>) => Otherwise,
): Promise<Read | Otherwise> {
  try {
    return await read();
  } catch (thrown) {
    return otherwise(failureIn(thrown, "store_corrupt"));
  }
}

/** A reader holds the record in memory. */
const MAX_LINES_BYTES = 4 * 2 ** 20;
/** Limit on lines that came later, far above the one `keep` line that there is. */
const MAX_LATER_BYTES = 2 ** 20;
/** Segments are held in memory. */
const MAX_SEGMENT_BYTES = 64 * 2 ** 20;
/** Content has at most this many segments that are shorter than a block. */
const MAX_SHORT_SEGMENTS = 64;

/**
 * Returns what no object of fd `id` can have, or undefined. Each number that comes from outside is compared with the
 * others and with the size of the object, before anything is fetched or memory is taken for it.
 */
function damageOf(
  { id, header, log, byteCount }: Pick<SharedFd, "id" | "header" | "log" | "byteCount">,
  storeId: string | undefined,
): string | undefined {
  const { seal, stored, tomb, claim } = log;
  if (header.id !== id && (storeId !== undefined || header.id !== 0)) {
    return `it is the object of ${formatFd(header.id)}`;
  }
  if (storeId !== undefined && hexOf(header.store) !== storeId) return "it is an object of another store";
  if (claim === undefined && tomb === undefined) return "the record has no claim";
  // Objects are written whole, so no line is cut off.
  if (log.damagedBytes > 0) return `${log.damagedBytes} bytes of the record are not valid lines`;
  const end = objectEnd(header);
  if (end > byteCount) return `the object is truncated: ${byteCount} of ${end} bytes`;
  if (tomb !== undefined) {
    return header.indexBytes + header.contentBytes === 0 ? undefined : "it is removed, and has content";
  }
  if (stored !== undefined && !areSegmentsPossible(stored)) {
    return `${stored.bytes} bytes in segments of ${stored.segment_bytes}`;
  }
  // A reader may take a live object whole.
  if (seal === undefined && header.indexBytes > 0) return "it has an index, and no seal";
  if (seal === undefined) {
    return stored === undefined ? "it has no seal, and is not being written" : undefined;
  }
  const { bytes } = seal;
  const isStored = stored === undefined ? header.contentBytes === bytes : header.contentBytes === 0 &&
    (stored.form === "plain" ? stored.bytes === bytes : isPackOf(stored, bytes));
  if (!isStored) return `${stored?.bytes ?? header.contentBytes} bytes of content, sealed as ${bytes}`;
  const wanted = bytes <= BLOCK_BYTES ? 0 : indexLength(Math.ceil(bytes / BLOCK_BYTES));
  if (header.indexBytes === wanted) return undefined;
  return `the index of ${bytes} bytes has ${header.indexBytes} bytes, expected ${wanted}`;
}

function areSegmentsPossible({ bytes, segment_bytes }: StoredLine): boolean {
  return segment_bytes <= MAX_SEGMENT_BYTES &&
    (segment_bytes >= BLOCK_BYTES || bytes <= MAX_SHORT_SEGMENTS * segment_bytes);
}

function isPackOf({ bytes }: StoredLine, plainBytes: number): boolean {
  return canHold(frameCountOf(plainBytes), bytes) && bytes <= longestPack(plainBytes);
}

/** Returns an object as that of fd `id` in the store of `objects`. */
export function ownedObject({ storeId = "" }: ObjectStore, id: number, bytes: Uint8Array): Bytes {
  return addressObject(bytes, id, bytesOfHex(storeId));
}

/** The object of a sealed fd. `stored` says where its content is if that is not in the object. */
export function sealedObject(parts: ObjectContents, stored?: StoredLine): Bytes {
  const lines = stored === undefined ? [] : [encodeCheckedLine(stored)];
  return encodeObject({ ...parts, record: joinBytes([parts.record, ...lines]) });
}

/**
 * The object of an fd whose content is not all there yet. `tail` is the content after its segments, as far as it is shown.
 * Of the record it has only the claim, though the fd may have ended on its host.
 */
export function liveObject(
  nonce: Uint8Array,
  record: Uint8Array,
  stored: StoredLine,
  tail: Uint8Array,
): Bytes {
  const { claim } = decodeLog(record);
  const lines = claim === undefined ? [stored] : [claim, stored];
  const written = joinBytes(lines.map((line) => encodeCheckedLine(line)));
  return encodeObject({ nonce, record: written, content: tail });
}

/** The object without index and content, and with a tombstone. */
export function removedObject(whole: SharedFd, tomb: TombLine): Bytes {
  const { record, appended } = objectParts(whole.bytes, whole.header);
  const { id, store, nonce } = whole.header;
  const lines = joinBytes([record, appended, encodeCheckedLine(tomb)]);
  return addressObject(encodeObject({ nonce, record: lines }), id, store);
}

/** Encodes the object of an id that is never used. */
export function unusedObject(nonce: Uint8Array, at: number, why: string): Bytes {
  const tomb: TombLine = { event: "tomb", at, why, bytes: 0 };
  return encodeObject({ nonce, record: encodeCheckedLine(tomb) });
}

/** The whole object with a line that only changes its etag, instead of the one that did so before. */
export function keptObject({ bytes, header }: SharedFd, nonce: string): Bytes {
  const keep: KeepLine = { event: "keep", nonce };
  return joinBytes([bytes.subarray(0, objectEnd(header)), encodeCheckedLine(keep)]);
}

/** Whether an object that starts with `bytes` belongs to the claim with `nonce`. */
export function hasNonce(bytes: Uint8Array, nonce: Uint8Array): boolean {
  const header = decodeObjectHeader(bytes);
  return typeof header !== "string" && sameBytes(header.nonce, nonce);
}

/** Whether the record of a whole object has a seal. */
export function isSealed(bytes: Uint8Array): boolean {
  const header = decodeObjectHeader(bytes);
  return typeof header !== "string" && decodeLog(objectParts(bytes, header).record).seal !== undefined;
}
