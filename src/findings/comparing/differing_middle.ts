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
  const alike = commonLength(before.subarray(0, shorter), after.subarray(0, shorter), "start");
  const isSame = alike === before.length && alike === after.length;
  const fromByte = isSame ? alike : before.subarray(0, alike).lastIndexOf(LF) + 1;
  const rest = shorter - fromByte;
  const alikeAtEnd = commonLength(
    before.subarray(before.length - rest),
    after.subarray(after.length - rest),
    "end",
  );
  // The line in which the common end begins is whole only after its first LF.
  const feed = before.subarray(before.length - alikeAtEnd).indexOf(LF);
  const common = feed === -1 ? 0 : alikeAtEnd - feed - 1;
  return {
    fromByte,
    before: before.subarray(fromByte, before.length - common),
    after: after.subarray(fromByte, after.length - common),
  };
}

/** The number of equal bytes of two contents of one length, from their start or their end. */
function commonLength(one: Uint8Array, other: Uint8Array, from: "start" | "end"): number {
  let alike = 0;
  for (let window = WINDOW_BYTES; alike < one.length;) {
    const length = Math.min(window, one.length - alike);
    const at = from === "start" ? alike : one.length - alike - length;
    if (Buffer.compare(one.subarray(at, at + length), other.subarray(at, at + length)) === 0) alike += length;
    else if (length === 1) break;
    // The first difference is in this window: halves of it find where.
    else window = Math.ceil(length / 2);
  }
  return alike;
}
