// Promise: no control char reaches a terminal, whatever the chunks, and text without any is written byte for byte.

import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { anyChar } from "../../../tests/contents.ts";
import { visibleControls } from "./terminal_text.ts";

const byte = fc.oneof(
  fc.constantFrom(
    0x1b,
    0x5b,
    0x0a,
    0x09,
    0x0d,
    0x7f,
    0x9b,
    0x80,
    0x9f,
    0xa0,
    0x81,
    0xa7,
    0xae,
    0xc2,
    0xe0,
    0xe2,
    0xed,
    0xf0,
    0xf4,
  ),
  fc.nat({ max: 255 }),
);
const content = fc.array(byte, { maxLength: 40 }).map((bytes) => Uint8Array.from(bytes));

function inPieces(bytes: Uint8Array, length: number): Uint8Array[] {
  const pieces = [];
  for (let at = 0; at < bytes.length; at += length) pieces.push(bytes.slice(at, at + length));
  return pieces;
}

const shown = (chunks: Iterable<Uint8Array>, kind: "body" | "own" | "json", own?: string) =>
  Buffer.concat([...visibleControls(chunks, kind, own)]);

/** The chars that a terminal sees: those of well-formed text, and each other byte by itself. */
function charsAndBytes(bytes: Uint8Array): number[] {
  const found: number[] = [];
  for (let at = 0; at < bytes.length;) {
    let length = 0;
    for (let tried = 4; tried > 0 && length === 0; tried--) {
      try {
        const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
          bytes.slice(at, at + tried),
        );
        if ([...text].length === 1 && at + tried <= bytes.length) {
          found.push(text.codePointAt(0)!);
          length = tried;
        }
      } catch {
        // Not a char of this length.
      }
    }
    if (length === 0) found.push(bytes[at]!);
    at += Math.max(1, length);
  }
  return found;
}

const steers = (code: number) =>
  code < 0x20 && code !== 0x0a && code !== 0x09 || code >= 0x7f && code < 0xa0 ||
  code >= 0x202a && code <= 0x202e || code >= 0x2066 && code <= 0x2069;

Deno.test("no bytes write a control to the terminal, whatever the chunks", () => {
  fc.assert(
    fc.property(content, fc.integer({ min: 1, max: 5 }), (bytes, length) => {
      const whole = shown([bytes], "body");
      assertEquals(charsAndBytes(whole).filter(steers), []);
      assertEquals(shown(inPieces(bytes, length), "body"), whole);
      assertEquals(charsAndBytes(shown(inPieces(bytes, length), "own")).filter(steers), []);
    }),
    { numRuns: 800 },
  );
});

Deno.test("text without controls is written byte for byte", () => {
  const text = fc.string({ unit: anyChar, maxLength: 30 }).map((raw) =>
    raw.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "\n")
  );
  fc.assert(fc.property(text, fc.integer({ min: 1, max: 5 }), (plain, length) => {
    const bytes = new TextEncoder().encode(plain);
    assertEquals(shown(inPieces(bytes, length), "body"), Buffer.from(bytes));
  }));
});

Deno.test("chars that turn the order of text are shown in content; letters and marks of such scripts stay", () => {
  assertEquals(
    shown([Buffer.from("a\u202eb\u2066c\u2069\u200f هلا")], "body").toString(),
    "a\\u202eb\\u2066c\\u2069\u200f هلا",
  );
});

Deno.test("JSON stays the same JSON", () => {
  fc.assert(fc.property(fc.json({ stringUnit: anyChar }), (json) => {
    const bytes = new TextEncoder().encode(json);
    assertEquals(JSON.parse(shown([bytes], "json").toString()), JSON.parse(json));
  }));
});

Deno.test("fdtool's own escape becomes an escape sequence, and no similar text does", () => {
  const own = "\x1b0123:";
  const text = `${own}2m\x1b0124:2m \x1b[2m`;
  for (const kind of ["body", "own"] as const) {
    assertEquals(shown([Buffer.from(text)], kind, own).toString(), "\x1b[2m\\x1b0124:2m \\x1b[2m");
  }
  assert(!shown([Buffer.from(text)], "own").includes(0x1b));
});
