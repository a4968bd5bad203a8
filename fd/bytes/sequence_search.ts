/**
 * Finds a sequence in another in time linear in both, whatever they hold (Knuth, Morris and Pratt). The runtimes' own
 * searches compare again from the start after each miss: a text that overlaps itself makes them quadratic. What they are
 * fast at, skipping what does not even begin alike, is left to them.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** For each beginning of `sought`, how long its longest end is that is a shorter beginning of it too. */
function overlapsOf(sought: ArrayLike<number>): Int32Array {
  const overlaps = new Int32Array(sought.length);
  for (let at = 1, length = 0; at < sought.length; at++) {
    while (length > 0 && sought[at] !== sought[length]) length = overlaps[length - 1]!;
    if (sought[at] === sought[length]) length++;
    overlaps[at] = length;
  }
  return overlaps;
}

/** A sequence to look for, again and again. */
export interface Sought {
  sequence: ArrayLike<number>;
  overlaps: Int32Array;
}

/** Prepares `sequence`, which may not be empty. */
export function prepareSought(sequence: ArrayLike<number>): Sought {
  return { sequence, overlaps: overlapsOf(sequence) };
}

/** Where `sought` first is in `text`; -1 where it is not. */
export function indexOfSought(text: ArrayLike<number>, sought: Sought): number {
  for (const place of placesOfSought(text, sought)) return place;
  return -1;
}

/** Every place of `sought` in `text`, those that overlap too. */
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

/** A search through bytes that come in pieces. */
export interface ByteSearch {
  /** How many of the last bytes fed are a beginning of what is sought. */
  readonly pendingCount: number;
  /**
   * Takes `bytes[from, to)`. Returns the offset after the first match that ends there, behind which it is to go on, or -1
   * once all was taken. Matches that overlap the one before are found, unless {@link forget} is called between them.
   */
  next(bytes: Uint8Array, from: number, to: number): number;
  /** Makes the next byte taken the first. */
  forget(): void;
}

/** So many first bytes of what is sought are looked for by the runtime. Its worst case is that many comparisons a byte. */
const HEAD_BYTES = 16;

/** Looks for `sought`, which may not be empty. */
export function byteSearch(sought: Uint8Array): ByteSearch {
  const overlaps = overlapsOf(sought);
  const head = sought.subarray(0, HEAD_BYTES);
  let matched = 0;

  /** Takes bytes until none match any more, all do, or they end; returns where. */
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
    get pendingCount() {
      return matched;
    },
    next(bytes, from, to) {
      const view = Buffer.from(bytes.buffer, bytes.byteOffset, to);
      let at = from;
      while (at < to) {
        if (matched === 0 && to - at >= head.length) {
          const found = view.indexOf(head, at);
          // The bytes behind the last place for a whole head may still begin one.
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
    forget() {
      matched = 0;
    },
  };
}
