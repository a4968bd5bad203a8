// Promise: the clean view is what a terminal of one row would have left standing of each line, without control
// characters, one shown line for each stored line, however the content arrives and whatever it is.

import { deepStrictEqual, equal, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { countChars } from "../bytes/utf8_chars.ts";
import { cleanBytes, Cleaning } from "./clean_text.ts";
import { needsCleaning } from "./needs_cleaning.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function clean(text: string): string {
  return decoder.decode(cleanBytes(encoder.encode(text)));
}

const SEQUENCE = new RegExp(
  [
    // Whatever a new sequence or CAN or SUB cuts off ends there.
    "(?:\\x1b\\[|\\x9b)([\\x20-\\x3f]*)(?:([\\x40-\\x7e])|(?=[\\x1b\\x80-\\x9f])|[\\x18\\x1a])",
    "(?:\\x1b\\]|\\x9d)[^\\x07\\x18\\x1a\\x1b\\n\\x80-\\x9f]*(?:[\\x07\\x18\\x1a]|(?=[\\x1b\\x80-\\x9f]))",
    "(?:\\x1b[PX^_]|[\\x90\\x98\\x9e\\x9f])[^\\x18\\x1a\\x1b\\n\\x80-\\x9f]*(?:[\\x18\\x1a]|(?=[\\x1b\\x80-\\x9f]))",
    "\\x1b[\\x20-\\x2f]+(?:[\\x30-\\x7e]|(?=[\\x1b\\x80-\\x9f])|[\\x18\\x1a])",
    "\\x1b(?:(?=[\\x1b\\x80-\\x9f])|[\\x30-\\x4f\\x51-\\x57\\x59\\x5a\\x5c\\x60-\\x7e])",
    "[\\x80-\\x8f\\x91-\\x97\\x99\\x9a\\x9c]",
  ].map((part) => `(?:${part})`).join("|"),
  "y",
);

const NULS = /\0{8,}/y;

/** A terminal with one row: an array of chars and a cursor. Blanks that were not written are undefined. */
function modelLine(line: string): { text: string; leftOut: number } {
  const row: (string | undefined)[] = [];
  let column = 0;
  let leftOut = 0;
  const lose = (from: number, to: number) => {
    for (const cell of row.slice(from, to)) if (cell !== undefined) leftOut++;
  };
  const write = (text: string) => {
    for (const char of text) {
      while (row.length < column) row.push(undefined);
      lose(column, column + 1);
      row[column++] = char;
    }
  };
  const edge = () => Math.max(255, row.length);
  const act = (final: string, parameters: string) => {
    if (!/^[\d;]*$/.test(parameters)) return;
    const count = Number(parameters.split(";")[0]);
    const many = count || 1;
    if (/[Ca]/.test(final)) column = Math.min(column + many, Math.max(column, edge()));
    if (final === "D") column = Math.max(0, column - many);
    if (/[G`]/.test(final)) column = Math.min(many - 1, edge());
    if (/[Hdf]/.test(final) || /[ABEFe]/.test(final) && column > 0) {
      const last = row[row.length - 1];
      column = row.length + (row.length > 0 && last !== " " && last !== undefined ? 1 : 0);
    }
    if (final === "P") lose(column, column + many), row.splice(column, many);
    const erased = final === "X"
      ? [column, column + many]
      : final === "K" || final === "J"
      ? [[column, Infinity], [0, column + 1], [0, Infinity]][count] ?? [0, 0]
      : [0, 0];
    if (final === "J" && count !== 0) return;
    lose(erased[0]!, erased[1]!);
    if (erased[1] === Infinity) row.length = Math.min(row.length, erased[0]!);
    else for (let at = erased[0]!; at < Math.min(erased[1]!, row.length); at++) row[at] = undefined;
  };
  for (let at = 0; at < line.length;) {
    SEQUENCE.lastIndex = at;
    const found = SEQUENCE.exec(line);
    if (found !== null) {
      leftOut += Array.from(found[0]).length;
      if (found[2] !== undefined) act(found[2], found[1]!);
      else if (["\x1bD", "\x1bE", "\x1bM"].includes(found[0])) act("A", "");
      at += found[0].length;
      continue;
    }
    NULS.lastIndex = at;
    const nuls = NULS.exec(line)?.[0].length ?? 0;
    if (nuls > 0) {
      leftOut += nuls;
      write(`[${nuls.toLocaleString("en")} NUL bytes]`);
      at += nuls;
      continue;
    }
    const char = String.fromCodePoint(line.codePointAt(at)!);
    at += char.length;
    const code = char.charCodeAt(0);
    if (char === "\r") column = 0, leftOut++;
    else if (char === "\b") column = Math.max(0, column - 1), leftOut++;
    else if (char !== "\t" && (code < 0x20 || code >= 0x7f && code < 0xa0)) {
      write(`\\x${code.toString(16).padStart(2, "0")}`);
    } else write(char);
  }
  while (row.length > 0 && row.at(-1) === undefined) row.pop();
  return { text: row.map((cell) => cell ?? " ").join(""), leftOut };
}

/** The model sees text, in which each ill-formed part is U+FFFD. */
function model(bytes: Uint8Array): { text: string; leftOut: number } {
  const lines = decoder.decode(bytes).split("\n").map(modelLine);
  return {
    text: lines.map(({ text }) => text).join("\n"),
    leftOut: lines.reduce((sum, { leftOut }) => sum + leftOut, 0),
  };
}

const PARTS = [
  "a",
  "bc",
  "error",
  "é",
  "漢",
  "😀",
  "\ufeff",
  " ",
  "\t",
  "\n",
  "\r",
  "\r\n",
  "\x1b[A",
  "\x1b[2B",
  "\x1b[H",
  "\x1b[3;40H",
  "\x1b[7d",
  "\x1b[2e",
  "\x1b[3a",
  "\x1b[5`",
  "\x1bD",
  "\x1bM",
  "\b",
  "\x07",
  "\0",
  "\0".repeat(7),
  "\0".repeat(11),
  "\x7f",
  "\x18",
  "\x1a",
  "\x0c",
  "\x1b",
  "\x1b[",
  "\x1b[31m",
  "\x1b[0m",
  "\x1b[K",
  "\x1b[1K",
  "\x1b[2K",
  "\x1b[3K",
  "\x1b[J",
  "\x1b[2J",
  "\x1b[C",
  "\x1b[3C",
  "\x1b[300C",
  "\x1b[99999999999C",
  "\x1b[D",
  "\x1b[2D",
  "\x1b[G",
  "\x1b[1G",
  "\x1b[4;9G",
  "\x1b[999G",
  "\x1b[P",
  "\x1b[2P",
  "\x1b[X",
  "\x1b[4X",
  "\x1b[?25l",
  "\x1b[ K",
  "\x1b[1; C",
  "\x1b(B",
  "\x1b#",
  "\x1b7",
  "\x1bM",
  "\x1bc",
  "\x1b]0;title\x07",
  "\x1b]8;;x\x1b\\",
  "\x1b]",
  "\x1bP",
  "\x1bPq#0\x1b\\",
  "\x1b_G\x9c",
  "\x1bX",
  "\x1b^",
  "\x9b",
  "\x9b31m",
  "\x9b2K",
  "\x9d0;t\x9c",
  "\x9c",
  "\x85",
  "\x90",
  "0",
  ";",
  "[",
  "m",
  "\\",
].map((text) => encoder.encode(text));
const ILL_FORMED = [
  [0xc2],
  [0x9b],
  [0x80],
  [0xc3],
  [0xa9],
  [0xe2, 0x82],
  [0xac],
  [0xf0, 0x9f],
  [0xf0, 0x90, 0x80],
  [0xe0, 0x80],
  [
    0xff,
  ],
  [0xed, 0xa0],
].map((bytes) => Uint8Array.from(bytes));

function contentOf(parts: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  return fc.array(
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...parts) }, fc.uint8Array({ maxLength: 3 })),
    {
      maxLength: 30,
    },
  ).map((list) => Uint8Array.from(list.flatMap((part) => [...part])));
}

const contents = fc.oneof(contentOf(PARTS), contentOf([...PARTS, ...ILL_FORMED]));

Deno.test("the clean view is what a one-row terminal finally shows, and says how much it left out", () => {
  fc.assert(
    fc.property(contents, (bytes) => {
      const cleaning = new Cleaning();
      const most = cleaning.clean(bytes).slice();
      const cleaned = Uint8Array.from([...most, ...cleaning.end()]);
      const expected = model(bytes);
      deepStrictEqual({ text: decoder.decode(cleaned), leftOut: cleaning.leftOutChars }, expected);
    }),
    { numRuns: 4000 },
  );
});

Deno.test("the clean view has no control characters, every LF, and cleaning it again changes nothing", () => {
  fc.assert(
    fc.property(contents, (bytes) => {
      const cleaned = cleanBytes(bytes);
      ok(!needsCleaning(cleaned));
      ok(!/[^\P{Cc}\n\t]/u.test(decoder.decode(cleaned)));
      const lineFeeds = (some: Uint8Array) => some.filter((byte) => byte === 10).length;
      equal(lineFeeds(cleaned), lineFeeds(bytes));
      strictEqual(cleanBytes(cleaned), cleaned);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("the clean view does not depend on the pieces in which content arrives", () => {
  fc.assert(
    fc.property(contents, fc.array(fc.nat(7), { minLength: 1 }), (bytes, sizes) => {
      const cleaning = new Cleaning();
      const cleaned: number[] = [];
      for (let at = 0, piece = 0; at < bytes.length; piece++) {
        const size = sizes[piece % sizes.length]! + (piece >= sizes.length ? 1 : 0);
        cleaned.push(...cleaning.clean(bytes.slice(at, at + size)));
        at += size;
      }
      cleaned.push(...cleaning.end());
      deepStrictEqual(Uint8Array.from(cleaned), Uint8Array.from(cleanBytes(bytes)));
    }),
    { numRuns: 2000 },
  );
});

Deno.test("bytes without control characters are their own clean view", () => {
  const bytes = encoder.encode("a\tb\nc\ufeffé ©\u00a0😀\n");
  strictEqual(cleanBytes(bytes), bytes);
  const illFormed = Uint8Array.of(0x61, 0xff, 0xc2, 0x0a, 0x9b, 0xe2, 0x82);
  strictEqual(cleanBytes(illFormed), illFormed);
  const cleaning = new Cleaning();
  equal(cleaning.clean(bytes).buffer, bytes.buffer);
  equal(cleaning.end().length, 0);
});

Deno.test("what is left of coloured, redrawn and foreign lines", () => {
  equal(clean("\x1b[1;31merror\x1b[0m: \x1b]8;;http://x\x1b\\link\x1b]8;;\x07\n"), "error: link\n");
  equal(clean("done\r\n\r\r\n"), "done\n\n");
  equal(clean(" 10%\r 20%\r\x1b[Kready\n"), "ready\n");
  equal(clean("N\bNA\bA\n_\bx"), "NA\nx");
  equal(clean("long text\rshort"), "shorttext");
  equal(clean("a\0b\x07"), "a\\x00b\\x07");
  // Cut off, nested, interrupted.
  equal(clean("a\x1b[3"), "a\\x1b[3");
  equal(clean("a\x1b]0;title\nb\x1b"), "a\\x1b]0;title\nb\\x1b");
  equal(clean("\x1b]0;a\x1b[31mred\x1b[0m"), "red");
  equal(clean("\x1b[1;\x1b[31mred"), "red");
  // Others, of whatever parameter a byte makes them.
  equal(clean("ab\x1b[ Cc\x1b[; Dd\x1b[1;?Ge\x1b[1;2:3Gf"), "abcdef");
});

Deno.test("bytes around something left out do not become a char", () => {
  const bytes = Uint8Array.of(0xc3, 0x1b, 0x5b, 0x6d, 0xa9, 0xc2, 0x1b, 0x5b, 0x6d, 0x9b, 0x41);
  equal(decoder.decode(cleanBytes(bytes)), "\ufffd\ufffd\ufffd\ufffdA");
  ok(!needsCleaning(cleanBytes(bytes)));
});

/** Cleans `chunk` again and again; returns the length of the result and the longest piece of it. */
function cleanRepeated(
  chunk: Uint8Array,
  times: number,
): { shown: number; longest: number; leftOut: number } {
  const cleaning = new Cleaning();
  let shown = 0;
  let longest = 0;
  for (let time = 0; time < times; time++) {
    const { length } = cleaning.clean(chunk);
    shown += length;
    longest = Math.max(longest, length);
  }
  shown += cleaning.end().length;
  return { shown, longest, leftOut: cleaning.leftOutChars };
}

Deno.test("a line that is redrawn for ever is its last state", () => {
  const redraw = encoder.encode("\x1b[2K\rdownloading 漢 12345 of 99999");
  const { shown, leftOut } = cleanRepeated(redraw, 50_000);
  equal(shown, redraw.length - 5);
  equal(leftOut, 50_000 * 5 + 49_999 * (countChars(redraw) - 5));
});

Deno.test("of a long line only the end can be written over, and pieces of it come as they are final", () => {
  const { shown, longest } = cleanRepeated(encoder.encode("x".repeat(1000)), 1000);
  equal(shown, 1_000_000);
  ok(longest < 70_000);
  const written = clean(`${"a".repeat(100_000)}\r${"b".repeat(10)}`);
  equal(written.length, 100_000);
  equal(written.indexOf("b"), 65_536);
});

Deno.test("what is final of a row that is written over without end is not kept in memory", () => {
  const cleaning = new Cleaning();
  const piece = encoder.encode("ab\b".repeat(10_000));
  let final = 0;
  for (let at = 0; at < 20; at++) final += cleaning.clean(piece).length;
  ok(final > 100_000);
  equal(final + cleaning.end().length, 200_001);
});

Deno.test("a string that does not end in 64 KiB is text", () => {
  const most = `\x1b]0;${"t".repeat(65_531)}`;
  equal(clean(`${most}\x07.`), ".");
  equal(clean(`${most}t\x07.`), `\\x1b]0;${"t".repeat(65_532)}\\x07.`);
  const { shown, longest } = cleanRepeated(encoder.encode("\x1b]" + "t".repeat(9998)), 100);
  equal(shown, 10_003);
  ok(longest < 200_000);
  const unterminated = new Cleaning();
  let shownChars = unterminated.clean(encoder.encode("\x1b]")).length;
  for (let time = 0; time < 1000; time++) {
    shownChars += unterminated.clean(encoder.encode("t".repeat(1000))).length;
  }
  equal(shownChars + unterminated.end().length, 1_000_005);
});

Deno.test("words on other rows of a screen are words of their own", () => {
  equal(
    clean("Every 1.0s: date\x1b[1;40Hvm: Sun\x1b[3;1H2026\x1b[4d88991010\n"),
    "Every 1.0s: date vm: Sun 2026 88991010\n",
  );
  equal(clean("left \x1b[2;1Hright\x1b[Bbelow\x1b[H\n"), "left right below\n");
  equal(clean("one\x1bDtwo\x1bMthree\x1bEfour\x1b[2efive\x1b[2asix\n"), "one two three four five  six\n");
  // Bars that are drawn again.
  equal(clean("a 10%\nb 10%\r\x1b[Aa 20%\nb 20%\n"), "a 10%\na 20%\nb 20%\n");
  equal(clean("\x1b[2J\x1b[H\x1b[1mtop\x1b[0m\x1b[2;1H\x1b[Ksecond\n"), "top second\n");
});
