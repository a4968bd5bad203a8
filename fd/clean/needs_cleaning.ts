/** Whether bytes have something to clean, fast for many of them. */

import { cleanKernel } from "./clean_kernel.ts";
import { hasControl } from "./find_controls.ts";

/** Starting the kernel pays off from this size on. */
const KERNEL_FROM_BYTES = 65_536;

const C2 = 0xc2;

/**
 * Whether the clean view of `bytes[from, to)` differs from the bytes.
 *
 * ```ts
 * import { needsCleaning } from "./needs_cleaning.ts";
 * const needs = (text: string) => needsCleaning(new TextEncoder().encode(text));
 * if (needs("a\tb\n©") || !needs("a\r\n") || !needs("\x1b[31m") || !needs("\u009b")) throw new Error();
 * ```
 */
export function needsCleaning(bytes: Uint8Array, from = 0, to = bytes.length): boolean {
  const kernel = to - from < KERNEL_FROM_BYTES ? undefined : cleanKernel();
  if (kernel === undefined) return hasControl(bytes, from, to);
  for (let at = from; at < to;) {
    const end = kernel.load(bytes, at, to);
    if (kernel.find(end - at) < end - at) return true;
    // The next window tells whether a control of two bytes begins at the end of this one.
    at = end < to && bytes[end - 1] === C2 ? end - 1 : end;
  }
  return false;
}
