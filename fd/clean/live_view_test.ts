// Promise: whatever a command writes and however it arrives, a terminal gets of it only text, colours and what acts inside
// the row; text and prompts are shown at once.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { startLiveView } from "./live_view.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function shownOf(pieces: readonly Uint8Array[], isRewritable = true): Uint8Array {
  const view = startLiveView(isRewritable);
  // What is returned may be a part of the piece.
  const shown = pieces.map((piece) => [...view.take(piece)]);
  return new Uint8Array([...shown.flat(), ...view.end()]);
}

const shown = (text: string, isRewritable = true) =>
  decoder.decode(shownOf([encoder.encode(text)], isRewritable));

/** Text that is full of sequences and parts of them. */
const content = fc.array(
  fc.constantFrom(
    ...[
      "a",
      "é",
      "漢",
      "🙂",
      "\n",
      "\r",
      "\b",
      "\t",
      "\x07",
      "\x1b",
      "\x1b[",
      "\x1b[31m",
      "\x1b[K",
      "\x1b[2J",
    ],
    ...[
      "\x1b]0;t",
      "\x1b\\",
      "\u009b31m",
      "\u009d",
      "\x1b[?25l",
      "\x1b[1;",
      "m",
      "H",
      "\x18",
      "\x1bPq",
      "\x7f",
    ],
  ),
  { maxLength: 30 },
).map((parts) => encoder.encode(parts.join("")));
const anything = fc.oneof(content, fc.uint8Array({ maxLength: 60 }));

/** Chars in bytes that are read as latin1. */
const WELL_FORMED =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}/g;

Deno.test("the live view has text, colours and moves inside the row, and nothing else", () => {
  fc.assert(fc.property(anything, (bytes) => {
    // deno-lint-ignore no-control-regex
    const rest = decoder.decode(shownOf([bytes])).replace(/\x1b\[[\d;:]*[mCDGKPX]/g, "");
    // deno-lint-ignore no-control-regex
    assert(!/[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f]/.test(rest), JSON.stringify(rest));
    // The decoder called latin1 is that of windows-1252.
    const illFormed = String.fromCharCode(...shownOf([bytes])).replace(WELL_FORMED, "");
    assert(!/[\x80-\x9f]/.test(illFormed), JSON.stringify(illFormed));
    // deno-lint-ignore no-control-regex
    assert(!/[\x1b\x07]/.test(decoder.decode(shownOf([bytes], false))));
  }));
});

Deno.test("it does not depend on how the content arrives", () => {
  fc.assert(fc.property(anything, fc.array(fc.nat(60), { maxLength: 5 }), (bytes, cuts) => {
    const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
    const pieces = at.slice(1).map((end, index) => bytes.slice(at[index], end));
    assertEquals(shownOf(pieces), shownOf([bytes]));
  }));
});

Deno.test("text and prompts are shown at once, and only what may go on is held back", () => {
  const view = startLiveView(true);
  const take = (...bytes: number[]) => decoder.decode(view.take(new Uint8Array(bytes)));
  assertEquals(decoder.decode(view.take(encoder.encode("Password: "))), "Password: ");
  assertEquals([take(0xe6, 0xbc), take(0xa2)], ["", "漢"]);
  assertEquals([take(0x41, 0x1b), take(0x5b, 0x33), take(0x31, 0x6d, 0x42)], ["A", "", "\x1b[31mB"]);
  assertEquals(decoder.decode(view.end()), "\x1b[m\n");
});

Deno.test("sequences that act outside of the row are left out, and other controls are shown", () => {
  assertEquals(shown("\x1b[2J\x1b[H\x1b[3Aa\x1b[?1049hb\x1b]52;c;eA==\x07c\x1bPq\x1b\\d\x1bc\n"), "abcd\n");
  assertEquals(shown("\x07\x00\x7f\x1b\n\u0085x\n"), "\\x07\\x00\\x7f\\x1b\nx\n");
  assertEquals(
    shown("\x1b[38;5;1mred\x1b[0m 5%\r\x1b[K6%\b7%\n"),
    "\x1b[38;5;1mred\x1b[0m 5%\r\x1b[K6%\b7%\n\x1b[m",
  );
  assertEquals(shown("\x1b[31mred\x1b[K\n", false), "red\n");
  assertEquals(decoder.decode(shownOf([new Uint8Array([0x9b, 0x33, 0x31, 0x6d, 0x0a])])), "\\x9b31m\n");
  assertEquals(shown("a\u202eb\u2069c\u200f هلا\n"), "a\\u202eb\\u2069c\u200f هلا\n");
  assertEquals(shown("\x1b]0;never ended\n"), "\\x1b]0;never ended\n");
});
