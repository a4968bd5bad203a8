/** Counts and sizes in sentences. */

/** A whole number as people write it: `1,170`. */
export function groupedDigits(count: number): string {
  let digits = String(count);
  let text = "";
  for (; digits.length > 3; digits = digits.slice(0, -3)) text = `,${digits.slice(-3)}${text}`;
  return digits + text;
}

/** `1 fd`, `2 fds`; its digits in groups with {@link groupedDigits}. */
export function counted(count: number, what: string, digits: (count: number) => string = String): string {
  return `${digits(count)} ${what}${count === 1 ? "" : "s"}`;
}

export function linesText(count: number): string {
  return counted(count, "line", groupedDigits);
}

/**
 * A number of bytes in the largest unit that gives at least 1.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { sizeText } from "./grouped_digits.ts";
 * assertEquals(sizeText(512), "512 B");
 * assertEquals(sizeText(3 * 2 ** 20), "3.0 MiB");
 * ```
 */
export function sizeText(byteCount: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = byteCount;
  let unit = 0;
  // 1023.95 would be written as 1024.0.
  for (; value >= (unit === 0 ? 1024 : 1023.95) && unit < units.length - 1; unit++) value /= 1024;
  return `${value.toFixed(unit === 0 ? 0 : 1)} ${units[unit]}`;
}
