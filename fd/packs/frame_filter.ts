/**
 * Filters of packed content: which three bytes in a row occur in each frame, so that a search need not unpack frames that
 * cannot match (FORMAT.md, "Packed content"). A filter may say that a frame has what it has not, never the opposite.
 */

import { blockSum } from "../bytes/block_sum.ts";
import { FILTER_MAGIC, frameCountOf, GROUP_FRAMES } from "./seek_table.ts";
import { type PackedContent, unpacked } from "./stored_content.ts";

/** Bytes of one frame's filter: a bit for each of 16,384 hashes. */
export const FILTER_BYTES = 2048;

/** Text of up to this many bytes, and one more, that starts in a frame is in the frame's filter. */
export const REACH_BYTES = 255;

const HASH_BITS = 14;
const HASH_SHIFT = 32 - HASH_BITS;
const HASH_FACTOR = 0x9e3779b1 | 0;
/** Set in all bytes: letters in both cases are the same, and some other bytes too. */
const FOLD = 0x20202020;

/**
 * Marks the hashes of all three bytes in a row that start in the first `wordCount` words of a little-endian machine; the
 * word after them is read too. `marks` has a byte for each hash.
 */
export function markTrigrams(words: Uint32Array, wordCount: number, marks: Uint8Array): void {
  let word = words[0]! | FOLD;
  for (let at = 1; at <= wordCount; at++) {
    const next = words[at]! | FOLD;
    marks[Math.imul(word & 0xffffff, HASH_FACTOR) >>> HASH_SHIFT] = 1;
    marks[Math.imul(word >>> 8, HASH_FACTOR) >>> HASH_SHIFT] = 1;
    marks[Math.imul((word >>> 16 | next << 16) & 0xffffff, HASH_FACTOR) >>> HASH_SHIFT] = 1;
    marks[Math.imul((word >>> 24 | next << 8) & 0xffffff, HASH_FACTOR) >>> HASH_SHIFT] = 1;
    word = next;
  }
}

/** Makes a filter of marks, given as words: one bit for each byte that is 1. */
export function condenseMarks(marks: Uint32Array, filter: Uint8Array): void {
  for (let at = 0; at < FILTER_BYTES; at++) {
    // Moves the lowest bit of each byte next to one another.
    const low = Math.imul(marks[at * 2]!, 0x01020408) >>> 24 & 15;
    const high = Math.imul(marks[at * 2 + 1]!, 0x01020408) >>> 24 & 15;
    filter[at] = low | high << 4;
  }
}

/** Returns the hashes of all three bytes in a row of `text`: the bits that the filter of a frame that has it has. */
export function trigramHashes(text: Uint8Array): number[] {
  const hashes = new Set<number>();
  for (let at = 0; at + 2 < text.length; at++) {
    const trigram = text[at]! | text[at + 1]! << 8 | text[at + 2]! << 16 | FOLD & 0xffffff;
    hashes.add(Math.imul(trigram, HASH_FACTOR) >>> HASH_SHIFT);
  }
  return [...hashes];
}

/** Number of this way to make filters; others are ignored. */
const KIND = 1;

/** Bytes before a group's compressed filters. */
const HEADER_BYTES = 24;
/** The sum is that of what follows it. */
const SUMMED_FROM = 12;

/** A content with filters, so that those of another are not taken for its own. */
export interface FilteredContent {
  byteCount: number;
  /** The sum of its block sums. */
  sum?: number | undefined;
}

/** Returns the bytes of the filters of a group of frames, uncompressed. */
export function filtersLength(group: number, { byteCount }: FilteredContent): number {
  return Math.min(GROUP_FRAMES, frameCountOf(byteCount) - group * GROUP_FRAMES) * FILTER_BYTES;
}

/** Encodes the filters of a group of frames; `compressed` is one zstd frame of them. */
export function encodeFilters(content: FilteredContent, group: number, compressed: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + compressed.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, FILTER_MAGIC, true);
  view.setUint32(4, bytes.length - 8, true);
  view.setUint32(12, content.sum ?? 0, true);
  view.setUint32(16, group, true);
  view.setUint32(20, KIND, true);
  bytes.set(compressed, HEADER_BYTES);
  view.setUint32(8, blockSum(bytes.subarray(SUMMED_FROM)), true);
  return bytes;
}

/**
 * Decodes what {@link encodeFilters} made: {@link FILTER_BYTES} for each frame. Returns undefined if it is of a later
 * version, `damaged` if it is, or of another group or content.
 */
function decodeFilters(
  content: FilteredContent,
  group: number,
  bytes: Uint8Array | undefined,
): Uint8Array | "damaged" | undefined {
  if (bytes === undefined || bytes.length < HEADER_BYTES) return "damaged";
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isRight = view.getUint32(0, true) === FILTER_MAGIC && view.getUint32(4, true) === bytes.length - 8 &&
    view.getUint32(8, true) === blockSum(bytes.subarray(SUMMED_FROM)) &&
    view.getUint32(12, true) === (content.sum ?? 0) && view.getUint32(16, true) === group;
  if (!isRight) return "damaged";
  if (view.getUint32(20, true) !== KIND) return undefined;
  return unpacked(bytes.subarray(HEADER_BYTES), filtersLength(group, content), "a filter") ?? "damaged";
}

/** Returns the filters of a group of frames, {@link FILTER_BYTES} each; undefined if there are none that can be used. */
export function filtersOf(
  packed: PackedContent,
  content: FilteredContent,
  group: number,
): Uint8Array | undefined {
  if (group >= packed.filterCount) return undefined;
  const filters = decodeFilters(content, group, packed.filter(group));
  return filters === "damaged" ? undefined : filters;
}

/** Returns the groups of frames whose filters are damaged. */
export function damagedFilters(packed: PackedContent, content: FilteredContent): number[] {
  const damaged: number[] = [];
  for (let group = 0; group < packed.filterCount; group++) {
    if (decodeFilters(content, group, packed.filter(group)) === "damaged") damaged.push(group);
  }
  return damaged;
}
