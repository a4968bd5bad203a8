// Promise: a char is one code point of the WHATWG UTF-8 decoder, BOM included (contract, Units).

import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import { anyChar } from "../../tests/contents.ts";
import { charEnd, countChars, leadIn, skipChars, startOfCutOff } from "./utf8_chars.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function codePointsOf(bytes: Uint8Array): number {
  return [...decoder.decode(bytes)].length;
}

/**
 * Char starts according to the platform's decoder: a char is the longest run of bytes that decodes to one
 * code point.
 */
function startsOf(bytes: Uint8Array): number[] {
  const starts: number[] = [];
  for (let at = 0; at < bytes.length;) {
    starts.push(at);
    let length = 1;
    for (let longer = 2; longer <= 4 && at + longer <= bytes.length; longer++) {
      if (codePointsOf(bytes.subarray(at, at + longer)) === 1) length = longer;
    }
    at += length;
  }
  return starts;
}

/** Bytes near the borders of the UTF-8 rules, so that random sequences are often nearly well-formed. */
const edgeByte = fc.constantFrom(
  ...[0x00, 0x0a, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec],
  ...[0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff],
);
const edgeBytes = fc.array(edgeByte, { maxLength: 200 }).map((list) => Uint8Array.from(list));
const text = fc.string({ unit: anyChar, maxLength: 200 }).map((string) => new TextEncoder().encode(string));
const someBytes = fc.oneof(edgeBytes, text, fc.uint8Array({ maxLength: 200 }));

Deno.test("three-byte sequences at the borders of the rules are cut like the decoder cuts them", () => {
  const borders = [0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed];
  borders.push(0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff);
  for (const first of borders) {
    for (const second of borders) {
      for (const third of borders) {
        const bytes = Uint8Array.of(first, second, third, 0x80, 0x80);
        const starts: number[] = [];
        for (let at = 0; at < bytes.length; at = charEnd(bytes, at, bytes.length)) starts.push(at);
        deepStrictEqual(starts, startsOf(bytes));
      }
    }
  }
});

Deno.test("chars are counted like the decoder counts them", () => {
  fc.assert(
    fc.property(someBytes, (bytes) => {
      deepStrictEqual(countChars(bytes), codePointsOf(bytes));
    }),
    { numRuns: 800 },
  );
});

Deno.test("counting can begin at any char start and end anywhere", () => {
  fc.assert(
    fc.property(someBytes, fc.nat(), fc.nat(), (bytes, a, b) => {
      const starts = startsOf(bytes);
      const from = starts[a % (starts.length + 1)] ?? bytes.length;
      const to = from + b % (bytes.length - from + 1);
      deepStrictEqual(countChars(bytes, from, to), starts.filter((at) => at >= from && at < to).length);
    }),
    { numRuns: 800 },
  );
});

Deno.test("leadIn reaches the next char start", () => {
  fc.assert(
    fc.property(someBytes, fc.nat(), (bytes, a) => {
      const at = a % (bytes.length + 1);
      const next = startsOf(bytes).find((start) => start >= at) ?? bytes.length;
      deepStrictEqual(leadIn(bytes, at, 0), next - at);
      deepStrictEqual(leadIn(bytes, at, Math.max(0, at - 3)), next - at);
    }),
    { numRuns: 800 },
  );
});

Deno.test("skipChars returns the start of the char with that number", () => {
  fc.assert(
    fc.property(someBytes, fc.nat(), fc.nat(), (bytes, a, b) => {
      const starts = [...startsOf(bytes), bytes.length];
      const first = a % starts.length;
      const count = b % (starts.length - first + 2);
      deepStrictEqual(
        skipChars(bytes, starts[first]!, bytes.length, count),
        starts[first + count] ?? bytes.length,
      );
    }),
    { numRuns: 800 },
  );
});

Deno.test("startOfCutOff finds a lead byte in the last 3 bytes", () => {
  deepStrictEqual(startOfCutOff(Uint8Array.of(0x41, 0xe2, 0x82)), 1);
  deepStrictEqual(startOfCutOff(Uint8Array.of(0xf0, 0x9f, 0x98)), 0);
  deepStrictEqual(startOfCutOff(Uint8Array.of(0x41, 0x42)), 2);
  deepStrictEqual(startOfCutOff(Uint8Array.of(0x80, 0x80, 0x80)), 3);
  deepStrictEqual(startOfCutOff(new Uint8Array()), 0);
});

Deno.test("skipChars stops at the given end, even inside a char", () => {
  const bytes = new TextEncoder().encode("漢".repeat(400));
  for (let to = 1190; to <= 1200; to++) {
    for (const charCount of [396, 397, 398, 399, 400, 1189, 1195]) {
      deepStrictEqual(skipChars(bytes, 0, to, charCount), Math.min(3 * charCount, to));
    }
  }
});
