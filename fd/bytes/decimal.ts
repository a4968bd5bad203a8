/** Parses whole numbers. */

/** Digits of the largest safe integer. */
const MAX_DIGITS = 16;

/**
 * Parses decimal digits, 0 to 2^53 - 1; returns undefined for anything else. Uses a loop because the first use of a
 * regular expression costs a small call more than the few digits do.
 *
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseDecimal } from "./decimal.ts";
 * assertEquals(parseDecimal("0120"), 120);
 * assertEquals(parseDecimal("-1"), undefined);
 * ```
 */
export function parseDecimal(text: string): number | undefined {
  if (text === "" || text.length > MAX_DIGITS) return undefined;
  let value = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return Number.isSafeInteger(value) ? value : undefined;
}

/**
 * Returns the largest safe integer, which is past every end, for digits that {@link parseDecimal} cannot
 * represent.
 */
export function hugeDecimal(text: string): number | undefined {
  return /^[0-9]+$/.test(text) ? Number.MAX_SAFE_INTEGER : undefined;
}
