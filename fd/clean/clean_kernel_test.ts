// Promise: with its kernel the cleaner gives the same result as without.

import { equal, ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { repeatedTo } from "../../tests/contents.ts";
import { joinBytes } from "../bytes/utf8_bytes.ts";
import { cleanKernel } from "./clean_kernel.ts";
import { Cleaning } from "./clean_text.ts";
import { hasControl } from "./find_controls.ts";
import { needsCleaning } from "./needs_cleaning.ts";

/** Cleans `bytes` in pieces of `size`; small ones are cleaned without the kernel. */
function cleaned(bytes: Uint8Array, size: number): { shown: Uint8Array; leftOutChars: number } {
  const cleaning = new Cleaning();
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    pieces.push(cleaning.clean(bytes.subarray(at, at + size)).slice());
  }
  pieces.push(cleaning.end());
  return { shown: joinBytes(pieces), leftOutChars: cleaning.leftOutChars };
}

const PARTS = [
  "plain text and more of it, ",
  "a",
  "é",
  "漢",
  "😀",
  "©",
  "\t",
  "\n",
  "\r\n",
  "\x1b[31m",
  "\x1b[0m",
  "\x1b[38;5;196;1m",
  "\x1b[K",
  "\x1b[0K",
  "\x1b[2K",
  "\r",
  "\b",
  "\x1b(B",
  "\x1b]0;t\x07",
  "\x1b",
  "\x1b[",
  "\x9b1m",
  "\x85",
  "\x07",
  "\x7f",
].map((text) => new TextEncoder().encode(text));
const ILL_FORMED = [[0xc2], [0xe2], [0xe2, 0x82], [0xf0, 0x9f], [0xf0, 0x90, 0x80], [0x80], [0x9b], [0xff], [
  0xc3,
]]
  .map((bytes) => Uint8Array.from(bytes));

/** At least 20 KiB, and sometimes more than a window, of parts in an order that does not repeat with the vectors. */
const contents = fc.record({
  parts: fc.array(fc.constantFrom(...PARTS, ...ILL_FORMED), { minLength: 1, maxLength: 30 }),
  gap: fc.nat(60),
  length: fc.constantFrom(20_000, 65_536, 65_537, 140_001),
}).map(({ parts, gap, length }) => {
  const unit = parts.flatMap((part, at) => [...part, ...new Uint8Array(at % 3 === 0 ? gap : 0).fill(0x2e)]);
  return repeatedTo(length, Uint8Array.from(unit));
});

Deno.test("the cleaner gives the same with its kernel and without", () => {
  equal(typeof cleanKernel(), "object", "the kernel does not load here, so this would test nothing");
  fc.assert(
    fc.property(contents, (bytes) => {
      const withKernel = cleaned(bytes, bytes.length);
      const without = cleaned(bytes, 4099);
      equal(withKernel.leftOutChars, without.leftOutChars);
      ok(Buffer.compare(withKernel.shown, without.shown) === 0);
    }),
    { numRuns: 60 },
  );
});

Deno.test("what needs cleaning is found in any place of long content", () => {
  const bytes = new Uint8Array(200_000).fill(0x61);
  equal(needsCleaning(bytes), false);
  bytes.set([0xc2, 0xa9, 0xe2, 0x9b, 0x8f, 0xc2], 65_530);
  equal(needsCleaning(bytes), false);
  const controls = [[0], [8], [0x0b], [0x1f], [0x7f], [0xc2, 0x80], [0xc2, 0x9f]];
  fc.assert(
    fc.property(
      fc.constantFrom(...controls),
      fc.oneof(fc.nat(199_998), fc.integer({ min: 65_520, max: 65_550 })),
      (control, at) => {
        const changed = bytes.slice();
        changed.set(control, at);
        equal(needsCleaning(changed), true);
        equal(needsCleaning(changed, at + control.length), hasControl(changed, at + control.length, 200_000));
      },
    ),
    { numRuns: 80 },
  );
});
