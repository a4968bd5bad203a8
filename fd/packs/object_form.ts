/**
 * The object form of an fd: record, index and content in one file, which is made with one write (FORMAT.md, "One file
 * for a small fd"). A header has the lengths of the parts; record lines written later follow the content.
 */

import { blockSum } from "../bytes/block_sum.ts";

/** Bytes of the header, one row of the block sum. */
export const OBJECT_HEADER_BYTES = 128;
const NONCE_BYTES = 16;
const ID_AT = 56;
const STORE_AT = 64;
const STORE_BYTES = 12;

/** "FDO2" as a little-endian number. No record log starts with it: their first byte is a lowercase hex digit. */
const MAGIC = 0x324f4446;

/** No log is longer; a reader holds it in memory. */
const MAX_RECORD_BYTES = 16 * 2 ** 20;

/** The lengths of the parts, and whose object it is. */
export type ObjectHeader = Exclude<ReturnType<typeof decodeObjectHeader>, string>;

/** Id and parts to join. `record` is lines of the record log, at least one. */
export interface ObjectContents {
  id?: number | undefined;
  record: Uint8Array;
  index?: Uint8Array | undefined;
  content?: Uint8Array | undefined;
  nonce?: Uint8Array | undefined;
}

const NOTHING = new Uint8Array();

/** Whether a file that starts with `bytes`, at least four, is in the object form. */
export function isObjectForm(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && bytes[0] === 0x46 && bytes[1] === 0x44 && bytes[2] === 0x4f &&
    bytes[3] === 0x32;
}

/** Encodes an object, for one write. */
export function encodeObject(
  { id = 0, record, index = NOTHING, content = NOTHING, nonce = new Uint8Array(NONCE_BYTES) }: ObjectContents,
): Uint8Array<ArrayBuffer> {
  const indexAt = OBJECT_HEADER_BYTES + record.length;
  const contentAt = indexAt + index.length;
  const bytes = new Uint8Array(contentAt + content.length);
  const header = new DataView(bytes.buffer, 0, OBJECT_HEADER_BYTES);
  header.setUint32(0, MAGIC, true);
  setU48(header, 16, record.length);
  setU48(header, 24, index.length);
  setU48(header, 32, content.length);
  bytes.set(nonce, 40);
  setU48(header, ID_AT, id);
  header.setUint32(4, blockSum(bytes.subarray(0, OBJECT_HEADER_BYTES)), true);
  bytes.set(record, OBJECT_HEADER_BYTES);
  bytes.set(index, indexAt);
  bytes.set(content, contentAt);
  return bytes;
}

/** Returns a copy of an object whose header says that it is fd `id` of the shared store with the id `store`. */
export function addressObject(bytes: Uint8Array, id: number, store: Uint8Array): Uint8Array<ArrayBuffer> {
  const addressed = new Uint8Array(bytes);
  const header = new DataView(addressed.buffer, 0, OBJECT_HEADER_BYTES);
  setU48(header, ID_AT, id);
  addressed.set(store, STORE_AT);
  header.setUint32(4, 0, true);
  header.setUint32(4, blockSum(addressed.subarray(0, OBJECT_HEADER_BYTES)), true);
  return addressed;
}

/**
 * Decodes the header at the start of `bytes`; returns what is wrong with it if that is damaged. Strict: whatever this version
 * would not have written is damage.
 */
export function decodeObjectHeader(bytes: Uint8Array) {
  if (bytes.length >= 4 && !isObjectForm(bytes)) return "not an object";
  // There is a part of a header, or nothing.
  if (bytes.length < OBJECT_HEADER_BYTES) return "truncated";
  const copied = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + OBJECT_HEADER_BYTES);
  const row = new Uint8Array(copied);
  const header = new DataView(copied);
  const sum = header.getUint32(4, true);
  header.setUint32(4, 0, true);
  if (blockSum(row) !== sum) return "wrong checksum";
  // A later version stored the parts in a way that this one does not know.
  if (header.getUint32(8, true) !== 0) return "unknown flags";
  const recordBytes = getU48(header, 16);
  // Zero until a later version, which sets a flag, uses them.
  const isRest = isZero(row, 12, 16) && isZero(row, 22, 24) && isZero(row, 30, 32) && isZero(row, 38, 40) &&
    isZero(row, 62, STORE_AT) && isZero(row, STORE_AT + STORE_BYTES, OBJECT_HEADER_BYTES);
  if (recordBytes === 0 || recordBytes > MAX_RECORD_BYTES || !isRest) return "impossible";
  return {
    /** N of `fd:N`: a file under another id was moved there. 0 if it does not say. */
    id: getU48(header, ID_AT),
    /** Lengths of the parts. */
    recordBytes,
    /** 0 for content of at most one block. */
    indexBytes: getU48(header, 24),
    /** 0 if the content is elsewhere, or empty; the seal line tells which. */
    contentBytes: getU48(header, 32),
    /** 16 bytes; zeros if there is none. */
    nonce: row.subarray(40, 40 + NONCE_BYTES),
    /** Id of the shared store that the object was made for, 12 bytes; zeros if it says none. */
    store: row.subarray(STORE_AT, STORE_AT + STORE_BYTES),
  };
}

/** Returns the offset of an object's content. */
export function objectContentAt({ recordBytes, indexBytes }: ObjectHeader): number {
  return OBJECT_HEADER_BYTES + recordBytes + indexBytes;
}

/** Returns the offset of the lines that are written later: the length of a new object. */
export function objectEnd(header: ObjectHeader): number {
  return objectContentAt(header) + header.contentBytes;
}

/** Splits the bytes of an object from its header on, whose header is `header`, into views, as far as they are there. */
export function objectParts(bytes: Uint8Array, header: ObjectHeader) {
  const indexAt = OBJECT_HEADER_BYTES + header.recordBytes;
  const contentAt = objectContentAt(header);
  const end = objectEnd(header);
  return {
    record: bytes.subarray(OBJECT_HEADER_BYTES, indexAt),
    index: bytes.subarray(indexAt, contentAt),
    content: bytes.subarray(contentAt, end),
    /** Record lines that were written later. */
    appended: bytes.subarray(end),
    /** Whether all parts are complete. A writer that died leaves an object that is cut off. */
    isWhole: bytes.length >= end,
  };
}

const U32 = 2 ** 32;

function setU48(view: DataView, at: number, value: number): void {
  view.setUint32(at, value, true);
  view.setUint16(at + 4, Math.floor(value / U32), true);
}

function getU48(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint16(at + 4, true) * U32;
}

function isZero(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] !== 0) return false;
  return true;
}
