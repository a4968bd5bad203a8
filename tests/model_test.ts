/** The model itself, held against the examples and sentences of the contract (Units). */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { bytesOf, model, shown, slice, tail, unitCount, whole } from "./model.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const linesOf = (text: string) => model(encode(text)).lines.length;
const pagesOf = (text: string, pageSize: number) => {
  const m = model(encode(text), pageSize);
  return m.pages.map((page) => shown(bytesOf(m, page)));
};

Deno.test("model: the contract's own counts of lines", () => {
  assertEquals(linesOf("a\nb\n"), 2);
  assertEquals(linesOf("a\nb"), 2);
  assertEquals(linesOf("\n"), 1);
  assertEquals(linesOf(""), 0);
});

Deno.test("model: CR, form feed and U+2028 are ordinary chars in a line", () => {
  assertEquals(linesOf("a\rb\fc\u2028d\u0085e\n"), 1);
  assertEquals(linesOf("a\r\nb\r\n"), 2);
});

Deno.test("model: a page ends after the last line end that fits, or after P chars if there is none", () => {
  assertEquals(pagesOf("aa\nbb\ncc\n", 7), ["aa\nbb\n", "cc\n"]);
  assertEquals(pagesOf("aa\nbb\n", 6), ["aa\nbb\n"]);
  assertEquals(pagesOf("aa\nbb\nc", 6), ["aa\nbb\n", "c"]);
  assertEquals(pagesOf("abcdefgh", 3), ["abc", "def", "gh"]);
  assertEquals(pagesOf("abcd\nefgh\n", 5), ["abcd\n", "efgh\n"]);
  assertEquals(pagesOf("abcde\nf", 5), ["abcde", "\nf"], "the rest fits, so the page is the rest");
  assertEquals(pagesOf("abcde\nfghijk", 5), ["abcde", "\n", "fghij", "k"]);
  assertEquals(pagesOf("ab\ncdefghij", 4), ["ab\n", "cdef", "ghij"]);
});

Deno.test("model: empty content has one empty page, no line, no char", () => {
  const m = model(new Uint8Array());
  assertEquals(m.pages, [{ from: 0, to: 0 }]);
  assertEquals([unitCount(m, "line"), unitCount(m, "char")], [0, 0]);
  assertEquals(whole(m).lines, "0-0");
  assertEquals(slice(m, "line", 1, 1), { error: "invalid_range", valid: undefined });
});

Deno.test("model: a char is a code point, never a UTF-16 unit, and a BOM is a char", () => {
  assertEquals(model(encode("a😀b")).charCount, 3);
  assertEquals(model(encode("\ufeffa")).charCount, 2);
  assertEquals(model(encode("e\u0301")).charCount, 2);
});

Deno.test("model: each maximal ill-formed subpart is one char", () => {
  const lengths = (...bytes: number[]) => {
    const { charStarts } = model(Uint8Array.from(bytes));
    return charStarts.slice(1).map((start, i) => start - (charStarts[i] ?? 0));
  };
  assertEquals(lengths(0x80, 0xbf), [1, 1], "lone continuation bytes");
  assertEquals(lengths(0xe2, 0x82), [2], "a truncated char at the end");
  assertEquals(lengths(0xf0, 0x9f, 0x98, 0x41), [3, 1], "a truncated char before ASCII");
  assertEquals(lengths(0xe2, 0x82, 0xe2, 0x82, 0xac), [2, 3], "a truncated char before a whole one");
  assertEquals(lengths(0xc0, 0xaf), [1, 1], "an overlong form");
  assertEquals(lengths(0xe0, 0x80, 0xaf), [1, 1, 1], "an overlong form of three");
  assertEquals(lengths(0xed, 0xa0, 0x80), [1, 1, 1], "a surrogate");
  assertEquals(lengths(0xf4, 0x90, 0x80, 0x80), [1, 1, 1, 1], "beyond U+10FFFF");
  assertEquals(lengths(0xf0, 0x90, 0x80, 0xf0, 0x90), [3, 2]);
  assertEquals(lengths(0xff, 0xfe), [1, 1]);
});

Deno.test("model: continued and truncated say whether the slice's ends lie inside a line", () => {
  const m = model(encode("ab\ncd\nef"), 100);
  const flags = (from: number, count: number) => {
    const found = slice(m, "char", from, count);
    return "error" in found ? found.error : [found.continued, found.truncated, found.lines];
  };
  assertEquals(flags(0, 2), [false, true, "1-1"], "the line goes on: its line end is still to come");
  assertEquals(flags(0, 3), [false, false, "1-1"]);
  assertEquals(flags(2, 1), [true, false, "1-1"]);
  assertEquals(flags(3, 1), [false, true, "2-2"]);
  assertEquals(flags(1, 3), [true, true, "1-2"]);
  assertEquals(flags(6, 2), [false, false, "3-3"], "the end of the content ends the last line");
  assertEquals(flags(7, 99), [true, false, "3-3"]);
});

Deno.test("model: counts are clamped, starts are not", () => {
  const m = model(encode("a\nb\nc\n"));
  assertEquals(slice(m, "line", 4, 1), { error: "invalid_range", valid: { first: 1, last: 3 } });
  assertEquals(slice(m, "line", 0, 1), { error: "invalid_range", valid: { first: 1, last: 3 } });
  assertEquals(slice(m, "page", 2, 1), { error: "invalid_page", valid: { first: 1, last: 1 } });
  assertEquals(slice(m, "char", 6, 1), { error: "invalid_range", valid: { first: 0, last: 5 } });
  const clamped = slice(m, "line", 3, 5);
  assertEquals("error" in clamped ? undefined : [shown(clamped.bytes), clamped.count], ["c\n", 1]);
  assertEquals(tail(m, "line", 2)?.start, 2);
  assertEquals(tail(m, "line", 9)?.start, 1);
});

Deno.test("model: chars agree with the decoder run over the whole, for random bytes", () => {
  const byte = fc.oneof(
    fc.constantFrom(0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xc3, 0xed, 0xa0, 0xf4, 0x90, 0xff, 10, 65),
    fc.integer({ min: 0, max: 255 }),
  );
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 60 }), (bytes) => {
      const m = model(Uint8Array.from(bytes));
      const oneByOne = Array.from(
        { length: m.charCount },
        (_, char) => shown(bytesOf(m, { from: char, to: char + 1 })),
      );
      assertEquals(oneByOne, [...shown(m.content)]);
    }),
    { numRuns: 2000 },
  );
});
