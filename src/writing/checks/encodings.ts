/** Encodings of files, as far as the first bytes show them. All new text is UTF-8. */

const MARKS: readonly (readonly [mark: readonly number[], name: string])[] = [
  [[0xef, 0xbb, 0xbf], "UTF-8 with a byte order mark"],
  [[0xff, 0xfe], "UTF-16 (little-endian)"],
  [[0xfe, 0xff], "UTF-16 (big-endian)"],
];

/** The byte order mark at the start of a content. */
export function byteOrderMark(
  head: Uint8Array,
): { name: string; byteCount: number; isUtf16: boolean } | undefined {
  const found = MARKS.find(([mark]) => mark.every((byte, index) => head[index] === byte));
  return found && { name: found[1], byteCount: found[0].length, isUtf16: found[0].length === 2 };
}
