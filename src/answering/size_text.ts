/** Sizes as people read them. */

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/**
 * A number of bytes in the largest unit that gives at least 1.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { sizeText } from "./size_text.ts";
 * assertEquals(sizeText(512), "512 B");
 * assertEquals(sizeText(3 * 2 ** 20), "3.0 MiB");
 * ```
 */
export function sizeText(byteCount: number): string {
  let value = byteCount;
  let unit = 0;
  // 1023.95 would be written as 1024.0.
  for (; value >= (unit === 0 ? 1024 : 1023.95) && unit < UNITS.length - 1; unit++) value /= 1024;
  return `${value.toFixed(unit === 0 ? 0 : 1)} ${UNITS[unit]}`;
}
