/**
 * What a char is (the contract's section 2): one code point of UTF-8, or one maximal ill-formed subpart, cut
 * exactly as the WHATWG UTF-8 decoder cuts them, with a BOM counted like any other char.
 *
 * Everything here rests on one fact. A lead byte (C2..F4) is never the continuation of anything, so it starts a
 * char for certain; a char is at most 4 bytes. Hence whether a byte starts a char follows from itself and the 3
 * bytes before it, and counting can begin anywhere.
 *
 * Indexing with `!` is safe where it stands: callers keep `at` and `to` inside the bytes.
 *
 * @module
 */

import { isAscii, isUtf8 } from "node:buffer";

/** Whether `byte` may stand right after the lead byte `lead` (Unicode 15, table 3-7). */
function isSecond(lead: number, byte: number): boolean {
  if (lead < 0xc2 || lead > 0xf4) return false;
  const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  return byte >= lowest && byte <= highest;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/**
 * The offset where the char that starts at byte `at` ends. `at` must be a char start below `end`; bytes from
 * `end` on are taken as not there, so a sequence that `end` cuts off is one ill-formed char.
 *
 * ```ts
 * import { charEnd } from "./utf8_chars.ts";
 * const bytes = new TextEncoder().encode("€!");
 * if (charEnd(bytes, 0, bytes.length) !== 3) throw new Error();
 * ```
 */
export function charEnd(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at]!;
  let next = at + 1;
  if (lead < 0xc2 || lead > 0xf4 || next >= end || !isSecond(lead, bytes[next]!)) return next;
  next++;
  if (lead < 0xe0 || next >= end || !isContinuation(bytes[next]!)) return next;
  next++;
  if (lead < 0xf0 || next >= end || !isContinuation(bytes[next]!)) return next;
  return next + 1;
}

/**
 * How many bytes at `at` (0 to 3) belong to a char that starts before `at`. Bytes before `from` are taken as not
 * there: give the start of the content, or any offset at least 3 bytes back. `at` may be the bytes' length.
 */
export function leadIn(bytes: Uint8Array, at: number, from: number): number {
  for (let back = at - 1; back >= from && back >= at - 3; back--) {
    const byte = bytes[back]!;
    if (isContinuation(byte)) continue;
    return Math.max(0, charEnd(bytes, back, bytes.length) - at);
  }
  return 0;
}

/**
 * How many chars start in bytes `[from, to)`. `from` must be where a char starts (or the end of the content); `to`
 * may lie anywhere.
 */
export function countCharStarts(bytes: Uint8Array, from: number, to: number): number {
  const range = bytes.subarray(from, to);
  if (isAscii(range)) return range.length;
  if (!isUtf8(range.subarray(0, range.length - cutOffBytes(range)))) return countByWalking(range);
  return countLeads(range);
}

/**
 * The offset where char number `charCount` (from 0) at or after `from` starts, or `to` when fewer chars start
 * in `[from, to)`. `from` must be where a char starts.
 */
export function skipChars(bytes: Uint8Array, from: number, to: number, charCount: number): number {
  let at = from;
  let left = charCount;
  // Long distances in steps that native code counts; what remains is walked.
  while (left >= STEP_BYTES) {
    const stop = Math.min(at + STEP_BYTES, to);
    const clean = stop === to ? to : stop + leadIn(bytes, stop, at);
    left -= countCharStarts(bytes, at, clean);
    at = clean;
    if (at >= to) return to;
  }
  if (at + left <= to && isAscii(bytes.subarray(at, at + left))) return at + left;
  for (; left > 0 && at < to; left--) at = charEnd(bytes, at, to);
  return at;
}

const STEP_BYTES = 1024;

/** How many bytes at the end of `range` begin a char that may go on after it (0 to 3). */
function cutOffBytes(range: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= range.length; back++) {
    const byte = range[range.length - back]!;
    if (isContinuation(byte)) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return wanted > back ? back : 0;
  }
  return 0;
}

function countByWalking(range: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < range.length; at = charEnd(range, at, range.length)) count++;
  return count;
}

/** The same for well-formed UTF-8 (but for a cut-off end): every byte but a continuation starts a char. */
function countLeads(range: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < range.length; at++) {
    if ((range[at]! & 0xc0) !== 0x80) count++;
  }
  return count;
}
