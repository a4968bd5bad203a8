/**
 * The whole lines between the common beginning and the common end of two contents that are in memory. An edit of a large
 * file differs from it in a few lines: comparing bytes is ten times faster than summing every line of both, and takes no
 * memory. What the two have in common on either side changes no count of added or removed lines.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** The bytes of both that are left, which begin and end where lines do. */
export interface DifferingMiddle {
  before: Uint8Array;
  after: Uint8Array;
}

const LF = 0x0a;
const WINDOW_BYTES = 65_536;

/**
 * The lines in which two contents may differ, the rest of both being the same.
 *
 * ```ts
 * import { differingMiddle } from "./differing_middle.ts";
 * const bytes = (text: string) => new TextEncoder().encode(text);
 * const { before, after } = differingMiddle(bytes("1\n2\n3\n"), bytes("1\n2b\n3\n"));
 * const text = new TextDecoder();
 * if (text.decode(before) !== "2\n" || text.decode(after) !== "2b\n") throw new Error();
 * ```
 */
export function differingMiddle(before: Uint8Array, after: Uint8Array): DifferingMiddle {
  const shorter = Math.min(before.length, after.length);
  const alike = commonLength(shorter, (at, length) => [
    before.subarray(at, at + length),
    after.subarray(at, at + length),
  ]);
  const start = before.subarray(0, alike).lastIndexOf(LF) + 1;
  const alikeAtEnd = commonLength(shorter - start, (at, length) => [
    before.subarray(before.length - at - length, before.length - at),
    after.subarray(after.length - at - length, after.length - at),
  ]);
  // The first line of the common end may begin differently: it is whole only after its first LF.
  const feed = before.subarray(before.length - alikeAtEnd).indexOf(LF);
  const common = feed === -1 ? 0 : alikeAtEnd - feed - 1;
  return {
    before: before.subarray(start, before.length - common),
    after: after.subarray(start, after.length - common),
  };
}

/**
 * How many bytes, 0 to `most`, are the same in both: `pair` gives the `length` bytes of each after the first `at`, from
 * whichever end is looked at.
 */
function commonLength(
  most: number,
  pair: (at: number, length: number) => readonly [Uint8Array, Uint8Array],
): number {
  let low = 0;
  for (; low < most; low += WINDOW_BYTES) {
    const [one, other] = pair(low, Math.min(WINDOW_BYTES, most - low));
    if (Buffer.compare(one, other) !== 0) break;
  }
  if (low >= most) return most;
  let high = Math.min(low + WINDOW_BYTES, most);
  const first = low;
  // Invariant: the bytes up to `low` are the same, those up to `high` are not.
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const [one, other] = pair(first, middle - first);
    if (Buffer.compare(one, other) === 0) low = middle;
    else high = middle;
  }
  return low;
}
