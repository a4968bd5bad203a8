/** Encodings of files, as far as the first bytes show them. All new text is UTF-8. */

import { utf16Of } from "../../../fd/mod.ts";

/** The encoding at the start of a content, and the bytes of its mark; undefined for text in UTF-8 or unknown. */
export function encodingOf(
  head: Uint8Array,
): { name: string; markBytes: number; isUtf16: boolean } | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) {
    return { name: "UTF-8 with a byte order mark", markBytes: 3, isUtf16: false };
  }
  const encoding = utf16Of(head);
  if (encoding === undefined) return undefined;
  const name = `UTF-16 (${encoding === "utf-16le" ? "little" : "big"}-endian)`;
  return { name, markBytes: head[0]! >= 0xfe ? 2 : 0, isUtf16: true };
}

/** The bytes at the start of a content that show its encoding. */
export const HEAD_BYTES = 4096;
