// Promise: lines have equal sums if and only if they are equal, wherever the content is cut into pieces.

import { assertEquals, assertNotEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { type Ignored, NOTHING_IGNORED } from "./ignored_text.ts";
import { lineSums, MAX_COMPARED_BYTES } from "./line_sums.ts";

const NOTHING = NOTHING_IGNORED;
const EVERYTHING: Ignored = { times: true, addresses: true, ids: true, space: true, case: true };

function sums(content: string | Uint8Array, ignored: Ignored, pieceBytes = Infinity): number[] {
  const bytes = Buffer.from(content);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(bytes.subarray(at, at + pieceBytes));
  return [...lineSums(pieces, ignored)];
}

Deno.test("equal lines have equal sums, and others have not", () => {
  const line = fc.uint8Array({ maxLength: 6 }).map((bytes) => bytes.map((byte) => byte === 10 ? 0 : byte));
  const content = fc.array(line, { maxLength: 12 });
  fc.assert(fc.property(content, fc.integer({ min: 1, max: 9 }), (lines, pieceBytes) => {
    const joined = Buffer.concat(lines.flatMap((each) => [each, Buffer.from("\n")]));
    for (const ignored of [NOTHING, EVERYTHING]) {
      const found = sums(joined, ignored, pieceBytes);
      assertEquals(found, sums(joined, ignored));
      assertEquals(found.length, lines.length);
    }
    const found = sums(joined, NOTHING);
    for (const [index, one] of lines.entries()) {
      for (const [other, two] of lines.entries()) {
        assertEquals(found[index] === found[other], Buffer.compare(one, two) === 0);
      }
    }
  }));
});

Deno.test("a missing final line feed counts, unless whitespace is ignored", () => {
  assertEquals(sums("a\nb", NOTHING).length, 2);
  assertNotEquals(sums("a\nb", NOTHING), sums("a\nb\n", NOTHING));
  assertEquals(sums("a\nb", EVERYTHING), sums("a\r\n  B \n", EVERYTHING));
  assertEquals(sums("", NOTHING), []);
});

Deno.test("lines that are not text stay different when something is ignored", () => {
  const one = Uint8Array.of(0x61, 0xff, 10);
  const two = Uint8Array.of(0x61, 0xfe, 10);
  assertNotEquals(sums(one, EVERYTHING), sums(two, EVERYTHING));
  assertNotEquals(sums(one, EVERYTHING), sums("aÿ\n", EVERYTHING));
});

Deno.test("a line too long to be searched is compared as it is", () => {
  const long = (end: string) => `${"x".repeat(MAX_COMPARED_BYTES)} ${end}\nin 3 ms\n`;
  const [first, second] = sums(long("in 1 ms"), EVERYTHING, 1000);
  const [otherFirst, otherSecond] = sums(long("in 2 ms"), EVERYTHING, 70_000);
  assertNotEquals(first, otherFirst);
  assertEquals(second, otherSecond);
  assertEquals(first, sums(long("in 1 ms"), EVERYTHING)[0]);
});
