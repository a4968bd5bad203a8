/**
 * Every key of an object store that is shared (SHARED.md, "Keys"); no other file builds or parses them.
 */

import { parseDecimal } from "../../bytes/decimal.ts";
import { hexOf } from "../../bytes/utf8_bytes.ts";
import { FIRST_OFFLINE_ID } from "../../store/fd_id.ts";

/** Of all keys. */
export const ALL_PREFIX = "v1/";
export const STORE_KEY = "v1/store";
export const NEXT_KEY = "v1/next";
export const GC_KEY = "v1/gc";
export const FD_PREFIX = "v1/fd/";
export const OFFLINE_PREFIX = "v1/off/";
export const DATA_PREFIX = "v1/data/";
export const NAME_PREFIX = "v1/ref/";

const ID_DIGITS = 12;
const OFFLINE_DIGITS = 15;
const SEGMENT_DIGITS = 5;
const GROUP_DIGITS = 9;
/** Fds in one listing. */
export const GROUP_IDS = 1000;
/** Groups in one object of totals. */
export const TOTALS_GROUPS = 1000;

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, "0");
}

/** Whether `id` was given without a network, at random. */
function isOfflineId(id: number): boolean {
  return id >= FIRST_OFFLINE_ID;
}

export function fdKey(id: number): string {
  return isOfflineId(id) ? OFFLINE_PREFIX + padded(id, OFFLINE_DIGITS) : FD_PREFIX + padded(id, ID_DIGITS);
}

/** Returns the id in the key of an fd, or undefined if it is another key. */
export function idOfKey(key: string): number | undefined {
  const prefix = key.startsWith(FD_PREFIX) ? FD_PREFIX : OFFLINE_PREFIX;
  const id = key.startsWith(prefix) ? parseDecimal(key.slice(prefix.length)) : undefined;
  // Longer keys would not be in the order of their ids.
  return id !== undefined && id > 0 && (isOfflineId(id) || id < 10 ** ID_DIGITS) && fdKey(id) === key
    ? id
    : undefined;
}

/** The fds that are listed together: a thousand ids by number, or all of `off/`. */
export type Group = number | "off";

export function groupOf(id: number): Group {
  return isOfflineId(id) ? "off" : Math.floor(id / GROUP_IDS);
}

/** Returns the prefix of the keys of a group's fds. */
export function groupPrefix(group: Group): string {
  return group === "off" ? OFFLINE_PREFIX : FD_PREFIX + padded(group, GROUP_DIGITS);
}

export function listingKey(group: Group): string {
  return `v1/ls/${typeof group === "number" ? padded(group, GROUP_DIGITS) : group}`;
}

/** The totals of groups `million * TOTALS_GROUPS` and on. */
export function totalsKey(million: number): string {
  return `v1/sum/${padded(million, 6)}`;
}

export function nameKey(name: string): string {
  return NAME_PREFIX + name;
}

/** Returns the random part of the data keys of the claim with `nonce`: 12 hex digits. */
export function dataOf(nonce: Uint8Array): string {
  return hexOf(nonce.subarray(0, 6));
}

/** Returns the prefix of the keys of fd `id`'s segments. */
export function segmentsPrefix(id: number, data: string): string {
  return `${DATA_PREFIX}${data.slice(0, 2)}/${data}${id.toString(16).padStart(12, "0")}/`;
}

export function segmentKey(id: number, data: string, segment: number): string {
  return segmentsPrefix(id, data) + padded(segment, SEGMENT_DIGITS);
}

/** Parses a segment's key; returns undefined if it is another key. */
export function parseSegmentKey(key: string): { id: number; data: string; segment: number } | undefined {
  const match = /^v1\/data\/([0-9a-f]{2})\/(\1[0-9a-f]{10})([0-9a-f]{12})\/([0-9]{5})$/.exec(key);
  if (match === null) return undefined;
  return { id: parseInt(match[3]!, 16), data: match[2]!, segment: Number(match[4]) };
}

/** Parts of the data, by the two digits that follow `data/`. */
export const DATA_PARTS = 256;

/** Returns the prefix of the keys of one part of the data. */
export function dataPartPrefix(part: number): string {
  return `${DATA_PREFIX}${part.toString(16).padStart(2, "0")}/`;
}

export function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) => parseInt(hex.slice(2 * at, 2 * at + 2), 16));
}
