/** Counts chars of text that a model reads, as the answers of fdtool count them. */

import { countChars } from "../fd/bytes/utf8_chars.ts";
import { utf8Bytes } from "../fd/bytes/utf8_bytes.ts";

export function charCount(text: string): number {
  return countChars(utf8Bytes(text));
}
