/**
 * Finds a sequence in another in time linear in both, whatever they contain (Knuth, Morris and Pratt). The
 * runtime's own searches restart after each miss, which is quadratic for text that overlaps itself. They are
 * still used for what they do fast: skipping bytes that do not even match the first ones.
 */

import { Buffer } from "node:buffer";

/** For each prefix of `sought`, the length of its longest proper suffix that is also a prefix. */
function overlapsOf(sought: ArrayLike<number>): Int32Array {
  const overlaps = new Int32Array(sought.length);
  for (let at = 1, length = 0; at < sought.length; at++) {
    while (length > 0 && sought[at] !== sought[length]) length = overlaps[length - 1]!;
    if (sought[at] === sought[length]) length++;
    overlaps[at] = length;
  }
  return overlaps;
}

/** A sequence prepared for repeated searches. */
type Sought = ReturnType<typeof prepareSought>;

/** Prepares `sequence`, which must not be empty. */
export function prepareSought(sequence: ArrayLike<number>) {
  return { sequence, overlaps: overlapsOf(sequence) };
}

/** Yields every offset of `sought` in `text`, including overlapping ones. */
export function* placesOfSought(
  text: ArrayLike<number>,
  { sequence, overlaps }: Sought,
): Generator<number, void> {
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    while (matched > 0 && text[at] !== sequence[matched]) matched = overlaps[matched - 1]!;
    if (text[at] === sequence[matched]) matched++;
    if (matched < sequence.length) continue;
    yield at + 1 - matched;
    matched = overlaps[matched - 1]!;
  }
}

/** A search through bytes that arrive in pieces. */
type ByteSearch = ReturnType<typeof byteSearch>;

/** Prefix length that the runtime searches for; its worst case is that many comparisons per byte. */
const HEAD_BYTES = 16;

/** Searches for `sought`, which must not be empty. */
export function byteSearch(sought: Uint8Array) {
  const overlaps = overlapsOf(sought);
  const head = sought.subarray(0, HEAD_BYTES);
  let matched = 0;

  /** Consumes bytes until none match, all do, or they end. Returns the offset reached. */
  function follow(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    let length = matched;
    do {
      const byte = bytes[at++];
      while (length > 0 && byte !== sought[length]) length = overlaps[length - 1]!;
      if (byte === sought[length]) length++;
    } while (length > 0 && length < sought.length && at < to);
    matched = length;
    return at;
  }

  return {
    /**
     * Searches `bytes[from, to)`. Returns the offset after the first match that ends there (continue from it),
     * or -1 when all bytes are consumed. Finds matches that overlap the previous one unless {@link forget} is
     * called in between.
     */
    next(bytes: Uint8Array, from: number, to: number): number {
      const view = Buffer.from(bytes.buffer, bytes.byteOffset, to);
      let at = from;
      while (at < to) {
        if (matched === 0 && to - at >= head.length) {
          const found = view.indexOf(head, at);
          // The bytes after the last possible place of a whole prefix may still begin one.
          at = found === -1 ? to - head.length + 1 : found + head.length;
          if (found !== -1) matched = head.length;
        } else at = follow(bytes, at, to);
        if (matched === sought.length) {
          matched = overlaps[matched - 1]!;
          return at;
        }
      }
      return -1;
    },
    /** Discards the partial match, so that the next byte is treated as the first. */
    forget() {
      matched = 0;
    },
  };
}
