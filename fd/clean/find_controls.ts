/**
 * Finds what the clean view changes: control characters other than TAB and LF, those of one byte (00 to 1F, 7F) and
 * those of two (U+0080 to U+009F: C2 80 to C2 9F).
 *
 * @module
 */

/** 1 for each byte that is, or may begin, something to clean. */
export const ATTENTION = /* @__PURE__ */ attentionTable();

function attentionTable(): Uint8Array {
  const table = new Uint8Array(256).fill(1, 0, 0x20);
  table[0x09] = table[0x0a] = 0;
  table[0x7f] = table[0xc2] = 1;
  return table;
}

/** Whether the byte after C2 makes the two a control character. */
export function isSecondOfControl(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xe0) === 0x80;
}

/**
 * Whether the clean view of `bytes[from, to)` differs from the bytes.
 *
 * ```ts
 * import { needsCleaning } from "./find_controls.ts";
 * const needs = (text: string) => needsCleaning(new TextEncoder().encode(text));
 * if (needs("a\tb\n©") || !needs("a\r\n") || !needs("\x1b[31m") || !needs("\u009b")) throw new Error();
 * ```
 */
export function needsCleaning(bytes: Uint8Array, from = 0, to = bytes.length): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if (ATTENTION[byte] === 0) continue;
    if (byte !== 0xc2 || (at + 1 < to && isSecondOfControl(bytes[at + 1]))) return true;
  }
  return false;
}

/**
 * Whether a control character other than TAB and LF ends in `bytes[from, to)`, where `from` is not 0: its first byte may
 * be before. So each is found in one of the parts of a content, however it is cut.
 */
export function endsControl(bytes: Uint8Array, from: number, to: number): boolean {
  return needsCleaning(bytes, bytes[from - 1] === 0xc2 ? from - 1 : from, to);
}
