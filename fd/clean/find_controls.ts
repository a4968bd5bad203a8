/**
 * Finds what the clean view changes: control characters other than TAB and LF, those of one byte (00 to 1F, 7F) and
 * those of two (U+0080 to U+009F: C2 80 to C2 9F).
 */

import { utf8Text } from "../bytes/utf8_bytes.ts";

/** Whether `bytes[from, to)` have a control character other than TAB and LF. */
export function hasControl(bytes: Uint8Array, from: number, to: number): boolean {
  // In a small call, a loop over the bytes in code that is not compiled yet would cost more than all else.
  const part = from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to);
  // deno-lint-ignore no-control-regex
  return /[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(utf8Text(part));
}

/**
 * Whether a control character other than TAB and LF ends in `bytes[from, to)`, where `from` is not 0: its first byte may
 * be before. So each is found in one of the parts of a content, however it is cut.
 */
export function endsControl(bytes: Uint8Array, from: number, to: number): boolean {
  return hasControl(bytes, bytes[from - 1] === 0xc2 ? from - 1 : from, to);
}
