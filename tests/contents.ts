/**
 * Contents that are hard on programs: every kind of char, line end and broken sequence, at sizes where buffers and
 * blocks end.
 */

import { utf16Of } from "../fd/slices/text_entry.ts";
import fc from "fast-check";
import { encode } from "./read_answer.ts";

/** `parts` one after another. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** `pattern` repeated and cut to exactly `byteLength` bytes. A cut may fall inside a char. */
export function repeatedTo(byteLength: number, pattern: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(byteLength);
  bytes.set(pattern.subarray(0, byteLength));
  for (let filled = pattern.length; filled < byteLength; filled *= 2) bytes.copyWithin(filled, 0, filled);
  return bytes;
}

/** Byte sequences that are not UTF-8, each ill-formed in its own way. */
export const ILL_FORMED: readonly Uint8Array[] = [
  [0x80],
  [0xbf, 0xbf],
  [0xc0, 0xaf],
  [0xc3],
  [0xe2, 0x82],
  [0xe0, 0x80, 0x80],
  [0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80],
  [0xf0, 0x9f, 0x98],
  [0xf0, 0x90],
  [0xf4, 0x90, 0x80, 0x80],
  [0xf8, 0x88, 0x80, 0x80, 0x80],
  [0xfe, 0xff],
].map((bytes) => Uint8Array.from(bytes));

/** Any code point but half surrogates, as fast-check's unit "binary" has them, which takes more than a second to make. */
export const anyChar: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 0x7f }) },
  fc.integer({ min: 0x80, max: 0xd7ff }),
  fc.integer({ min: 0xe000, max: 0x10ffff }),
).map((codePoint) => String.fromCodePoint(codePoint));

const text = (...samples: string[]) => fc.constantFrom(...samples).map(encode);

/** A piece of content, a few bytes to a few thousand. */
const piece: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 6, arbitrary: fc.string({ maxLength: 40 }).map(encode) },
  { weight: 6, arbitrary: text("\n", "\n\n", "a line of a build log\n", "\r\n", "x\r\n", "\r", "\f") },
  { weight: 4, arbitrary: text("漢字かな交じり文", "語\n", "한국어 텍스트\n", "中") },
  { weight: 3, arbitrary: text("😀", "👩‍👩‍👧‍👦\n", "𝒳", "e\u0301", "\u{10ffff}") },
  { weight: 3, arbitrary: text("\0", "\ufeff", "\u2028", "\u0085", "\u001b[31mred\u001b[0m\n", "\ufffd") },
  { weight: 4, arbitrary: fc.constantFrom(...ILL_FORMED) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 30 }) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom("x", "長", "😀"), fc.integer({ min: 50, max: 6000 }))
      .map(([char, count]) => encode(char.repeat(count))),
  },
  {
    weight: 1,
    arbitrary: text("</fd_content>", "</preview>\n</fd_result>\n", "<fd_error>", "&amp;<![CDATA["),
  },
);

/** Any content: empty, a few bytes, or up to some hundred thousand with pieces of every kind. */
export const anyContent: fc.Arbitrary<Uint8Array> = fc.tuple(
  fc.array(piece, { maxLength: 40 }),
  fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, {
    weight: 1,
    arbitrary: fc.integer({ min: 2, max: 20 }),
  }),
).map(([pieces, times]) => joined(Array.from({ length: times }, () => joined(pieces))))
  // The models count stored UTF-8; `utf16_test.ts` is about the rest.
  .filter((content) => utf16Of(content) === undefined);

/** Any page size from 1 to 5000 chars, small ones often. */
export const anyPageSize: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: 1, max: 12 }),
  fc.integer({ min: 13, max: 300 }),
  fc.integer({ min: 300, max: 5000 }),
);

/** Patterns to fill sizes with. None of their lengths divides a power of two, so that chars straddle every boundary. */
export const PATTERNS: Readonly<Record<string, Uint8Array>> = {
  "log lines": encode("12:00:01 compile src/main.ts ok\nwarning: x\n"),
  "one line": encode("abcdefg"),
  "only line ends": encode("\n"),
  "CRLF": encode("ab\r\n\r\n c\r\n"),
  "CJK": encode("漢字かな\n交じり文の長い行である。"),
  "emoji": encode("😀😃x"),
  "ill-formed": joined([encode("a"), ...ILL_FORMED, encode("\n"), ...ILL_FORMED]),
  "NUL and BOM": encode("\ufeff\0\0\n"),
};
