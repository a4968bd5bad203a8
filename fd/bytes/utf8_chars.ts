/**
 * Chars (contract, Units): one code point of UTF-8, or one maximal ill-formed subpart, cut exactly as the
 * WHATWG UTF-8 decoder does. A BOM is a char.
 *
 * Everything here relies on one fact. A lead byte (C2..F4) never continues a char, so it always starts one,
 * and a char has at most 4 bytes. So whether a byte starts a char depends only on it and the 3 bytes before
 * it, and counting can begin anywhere.
 *
 * Indexing with `!` is safe here: callers keep `at` and `to` within the bytes.
 */

import { textKind } from "./utf8_bytes.ts";

const REPLACEMENT = 0xfffd;

/** Whether `byte` may follow the lead byte `lead`, C2 to F4 (Unicode 15, table 3-7). */
function isSecond(lead: number, byte: number): boolean {
  if (!isContinuation(byte)) return false;
  if (lead === 0xe0) return byte >= 0xa0;
  if (lead === 0xed) return byte < 0xa0;
  if (lead === 0xf0) return byte >= 0x90;
  return lead !== 0xf4 || byte < 0x90;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/**
 * Returns the end of the char that starts at byte `at`. `at` must be a char start below `end`; bytes from `end` on
 * are ignored, so a sequence truncated by `end` is one ill-formed char.
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

/** Returns the code point of the char `bytes[at, end)`, as delimited by {@link charEnd}; U+FFFD for an ill-formed one. */
export function codePointAt(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at]!;
  switch (end - at) {
    case 1:
      return lead < 0x80 ? lead : REPLACEMENT;
    case 2:
      return lead < 0xe0 ? (lead & 0x1f) << 6 | bytes[at + 1]! & 0x3f : REPLACEMENT;
    case 3:
      return lead < 0xf0
        ? (lead & 0x0f) << 12 | (bytes[at + 1]! & 0x3f) << 6 | bytes[at + 2]! & 0x3f
        : REPLACEMENT;
    default:
      return (lead & 0x07) << 18 | (bytes[at + 1]! & 0x3f) << 12 | (bytes[at + 2]! & 0x3f) << 6 |
        bytes[at + 3]! & 0x3f;
  }
}

/**
 * Returns how many bytes at `at` (0 to 3) belong to a char that starts before `at`. Ignores bytes before
 * `from`: pass the start of the content, or any offset at least 3 bytes back. `at` may equal the length.
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
 * Counts the chars that start in bytes `[from, to)`, by default all. `from` must be the start of a char or the end of
 * the content; `to` can be any offset.
 */
export function countChars(bytes: Uint8Array, from = 0, to = bytes.length): number {
  if (to - from <= SHORT_BYTES) return walkChars(bytes, from, to);
  const range = bytes.subarray(from, to);
  const kind = textKind(range);
  if (kind === "ascii") return range.length;
  const cutAt = startOfCutOff(range);
  if (kind === "neither" && textKind(range.subarray(0, cutAt)) === "neither") {
    return walkChars(bytes, from, to);
  }
  return countLeads(range, cutAt) + walkChars(range, cutAt, range.length);
}

/**
 * Returns the offset of char number `charCount` (from 0) at or after `from`, or `to` if fewer chars start in
 * `[from, to)`. `from` must be the start of a char.
 */
export function skipChars(bytes: Uint8Array, from: number, to: number, charCount: number): number {
  let at = from;
  let left = charCount;
  // A char has at least one byte, so this cannot pass the target.
  while (left > SHORT_BYTES && at < to) {
    const stop = Math.min(at + left, to);
    left -= countChars(bytes, at, stop);
    at = Math.min(stop + leadIn(bytes, stop, at), to);
  }
  while (left > 0 && at < to) {
    at = charEnd(bytes, at, to);
    left--;
  }
  return at;
}

/** Shorter ranges are walked here: calling native code would cost more. */
const SHORT_BYTES = 64;

function walkChars(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at = charEnd(bytes, at, to)) count++;
  return count;
}

/**
 * Returns the offset of a lead byte in the last 3 bytes before `end` whose char might continue past it, or
 * else `end`. A char starts at the returned offset.
 */
export function startOfCutOff(bytes: Uint8Array, end = bytes.length): number {
  for (let at = end - 1; at >= 0 && at >= end - 3; at--) {
    const byte = bytes[at]!;
    if (!isContinuation(byte)) return byte >= 0xc2 && byte <= 0xf4 ? at : end;
  }
  return end;
}

/**
 * Counts the chars in the first `end` bytes, which must be well-formed: every byte but a continuation starts
 * one.
 */
function countLeads(bytes: Uint8Array, end: number): number {
  let count = 0;
  for (let at = 0; at < end; at++) {
    if ((bytes[at]! & 0xc0) !== 0x80) count++;
  }
  return count;
}

/**
 * Returns the offset of an incomplete char at the end of `bytes[from, end)`, or else `end`. A char starts at the
 * returned offset, whatever follows.
 *
 * ```ts
 * import { startOfUnfinished } from "./utf8_chars.ts";
 * if (startOfUnfinished(Uint8Array.of(0x61, 0xe2, 0x82)) !== 1) throw new Error();
 * if (startOfUnfinished(Uint8Array.of(0x61, 0xe2, 0x82, 0xac)) !== 4) throw new Error();
 * ```
 */
export function startOfUnfinished(bytes: Uint8Array, end = bytes.length, from = 0): number {
  const at = startOfCutOff(bytes, end);
  if (at === end || at < from) return end;
  const lead = bytes[at]!;
  const wanted = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // An ill-formed or complete char ends before the bytes do or has its full length.
  return charEnd(bytes, at, end) === end && end - at < wanted ? at : end;
}
