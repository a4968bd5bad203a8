/** Finds the lines in which two contents in memory may differ, without summing all of their lines. */

import { Buffer } from "node:buffer";

const LF = 0x0a;
const WINDOW_BYTES = 65_536;

/**
 * The lines in which two contents in memory may differ: whole ones, from `fromByte` of both. An edit changes few
 * lines of a large file: comparing bytes is ten times faster than summing every line of both. The common lines do not
 * affect the counts of added and removed ones.
 *
 * ```ts
 * import { differingMiddle } from "./differing_middle.ts";
 * const bytes = (text: string) => new TextEncoder().encode(text);
 * const { before, after } = differingMiddle(bytes("1\n2\n3\n"), bytes("1\n2b\n3\n"));
 * const text = new TextDecoder();
 * if (text.decode(before) !== "2\n" || text.decode(after) !== "2b\n") throw new Error();
 * ```
 */
export function differingMiddle(before: Uint8Array, after: Uint8Array) {
  const shorter = Math.min(before.length, after.length);
  const alike = commonLength(shorter, (at, length) => [
    before.subarray(at, at + length),
    after.subarray(at, at + length),
  ]);
  const fromByte = before.subarray(0, alike).lastIndexOf(LF) + 1;
  const alikeAtEnd = commonLength(shorter - fromByte, (at, length) => [
    before.subarray(before.length - at - length, before.length - at),
    after.subarray(after.length - at - length, after.length - at),
  ]);
  // The line in which the common end begins is whole only after its first LF.
  const feed = before.subarray(before.length - alikeAtEnd).indexOf(LF);
  const common = feed === -1 ? 0 : alikeAtEnd - feed - 1;
  return {
    fromByte,
    before: before.subarray(fromByte, before.length - common),
    after: after.subarray(fromByte, after.length - common),
  };
}

/**
 * The number of equal bytes, 0 to `most`. `pair` returns the `length` bytes of each after the first `at`, counted
 * from either end.
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
  // Invariant: the bytes up to `low` are equal, those up to `high` are not.
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const [one, other] = pair(first, middle - first);
    if (Buffer.compare(one, other) === 0) low = middle;
    else high = middle;
  }
  return low;
}
