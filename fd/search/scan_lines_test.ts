// Promise: lines match the same however the content is split into chunks, and whatever their length.

import { deepStrictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { cleanBytes } from "../clean/clean_text.ts";
import { type LineCleaner, lineCleaner } from "./clean_lines.ts";
import type { BlockIndex } from "../index/index_file.ts";
import { lineFinder, type PatternOptions } from "./line_finder.ts";
import { MAX_BUFFERED_BYTES, scanLines } from "./scan_lines.ts";

/** Each line as `[from, to, matches]`, as reported by `scanLines`. */
function scanned(
  chunks: Iterable<Uint8Array>,
  options: PatternOptions,
  cleaner?: LineCleaner,
): [number, number, boolean][] {
  const lines: [number, number, boolean][] = [];
  const steps = scanLines(chunks, 0, lineFinder(options), {
    matched(from, to, hit) {
      deepStrictEqual(
        hit >= from && (hit < to || cleaner !== undefined),
        true,
        `hit ${hit} in ${from}-${to}`,
      );
      lines.push([from, to, true]);
      return false;
    },
    unmatched(from, to, at) {
      let lineFrom = from;
      while (lineFrom < to) {
        const lineFeed = at.bytes?.indexOf(0x0a, lineFrom - at.baseByte) ?? -1;
        const lineTo = lineFeed < 0 ? to : Math.min(to, at.baseByte + lineFeed + 1);
        lines.push([lineFrom, lineTo, false]);
        lineFrom = lineTo;
      }
      return false;
    },
  }, cleaner);
  while (steps.next().done !== true);
  return lines;
}

/** A cleaner with an index that knows nothing of controls. */
function unknowing(): LineCleaner {
  const entry = { charsBefore: 0, lineFeedsBefore: 0, pageNumber: 1, pageStart: 0, blockSum: 0, leadIn: 0 };
  const index: BlockIndex = { blockCount: Infinity, at: () => ({ ...entry, hasControls: undefined }) };
  return lineCleaner(index);
}

/** Each line as `[from, to, text]`: splits at LF, and in clean view cleans each line by itself. */
function linesOf(content: Buffer, isClean = false): [number, number, string][] {
  const lines: [number, number, string][] = [];
  for (let from = 0; from < content.length;) {
    const lineFeed = content.indexOf(0x0a, from);
    const to = lineFeed < 0 ? content.length : lineFeed + 1;
    const line = content.subarray(from, lineFeed < 0 ? to : lineFeed);
    lines.push([from, to, Buffer.from(isClean ? cleanBytes(line) : line).toString()]);
    from = to;
  }
  return lines;
}

/** The expected result: tests with a native expression. */
function expected(lines: [number, number, string][], native: RegExp): [number, number, boolean][] {
  return lines.map(([from, to, text]) => [from, to, native.test(text)]);
}

function* cut(content: Uint8Array, lengths: readonly number[]): Iterable<Uint8Array> {
  let at = 0;
  for (let turn = 0; at < content.length; turn++) {
    const length = lengths[turn % lengths.length]!;
    yield content.slice(at, at + length);
    at += length;
  }
}

const PATTERNS: [PatternOptions, RegExp][] = [
  [{ pattern: "ab" }, /ab/],
  [{ pattern: "a€", fixed: true }, /a€/],
  [{ pattern: "ab", ignoreCase: true }, /ab/i],
  [{ pattern: "ab", word: true }, /(?<!\w)ab(?!\w)/],
  [{ pattern: "a+b$" }, /a+b$/],
  [{ pattern: "^a.*b" }, /^a.*b/],
  [{ pattern: "" }, /^/],
  [{ pattern: "^$" }, /^$/],
  [{ pattern: "b.a" }, /b.a/s],
];

Deno.test("lines match the same however chunks split them", () => {
  const piece = fc.constantFrom("a", "b", "ab", "€", "\n", "\r\n", " ", "a€", "\n\n");
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 60 }).map((pieces) => Buffer.from(pieces.join(""))),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...PATTERNS),
      (content, lengths, [options, native]) => {
        deepStrictEqual(scanned(cut(content, lengths), options), expected(linesOf(content), native));
      },
    ),
    { numRuns: 400 },
  );
});

Deno.test("a line too long to buffer is matched to its end, and so are its neighbours", () => {
  const giant = (text: string) =>
    Buffer.concat([Buffer.alloc(MAX_BUFFERED_BYTES * 2, "x"), Buffer.from(text)]);
  const content = Buffer.concat([
    Buffer.from("ab\nx\n"),
    giant("ab\nab\n"),
    giant("\nxx\n"),
    giant("€ aab"),
  ]);
  const plain = linesOf(content);
  for (const [options, native] of PATTERNS) {
    for (const lengths of [[65_536, 17], [MAX_BUFFERED_BYTES * 3]]) {
      deepStrictEqual(scanned(cut(content, lengths), options), expected(plain, native), String(native));
    }
  }
});

Deno.test("in clean view a line matches as it is shown, however chunks split it", () => {
  const piece = fc.constantFrom(
    ...[
      "a",
      "b",
      "ab",
      "€",
      "\n",
      "\r\n",
      "\r",
      "\b",
      "a\x1b[1mb",
      "\x1b[31m",
      "\x1b[K",
      "\x1b[",
      "\x1b]0;ab\x07",
    ],
    ...["\x07", "\t", "\x1b", "\u0085", "\n\n", "\x1b[2G"],
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 60 }).map((pieces) => Buffer.from(pieces.join(""))),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...PATTERNS),
      (content, lengths, [options, native]) => {
        deepStrictEqual(
          scanned(cut(content, lengths), options, unknowing()),
          expected(linesOf(content, true), native),
        );
      },
    ),
    { numRuns: 800 },
  );
});

Deno.test("in clean view a line too long to buffer is matched as it is shown, and so are its neighbours", () => {
  const redrawn = (text: string) => Buffer.from("xab\r".repeat(MAX_BUFFERED_BYTES * 0.3) + text);
  const colored = (text: string) => Buffer.from("\x1b[1mx\x1b[0m".repeat(MAX_BUFFERED_BYTES / 8) + text);
  const content = Buffer.concat([
    Buffer.from("\x1b[1mab\nx\n"),
    redrawn("yyy\n"),
    redrawn("a\x1b[1mb\x1b[0m\r\n"),
    colored("a\x1b[1m\x1b[0mb\nab"),
    Buffer.from("\n"),
    colored("\r\x1b[K\n"),
    colored("€ aa\x1b[mb"),
  ]);
  const shown = linesOf(content, true);
  for (const [options, native] of PATTERNS) {
    const wanted = expected(shown, native);
    for (const lengths of [[65_536, 17], [32_768], [MAX_BUFFERED_BYTES * 3]]) {
      const found = scanned(cut(content, lengths), options, unknowing());
      deepStrictEqual(found, wanted, `${native} ${lengths}`);
    }
  }
});

Deno.test("a visitor can end the walk early", () => {
  let chunkCount = 0;
  function* chunks(): Iterable<Uint8Array> {
    for (; chunkCount < 10; chunkCount++) yield Buffer.from("a\n");
  }
  const seen: number[] = [];
  const steps = scanLines(chunks(), 0, lineFinder({ pattern: "a" }), {
    matched: (from) => seen.push(from) === 3,
    unmatched: () => false,
  });
  while (steps.next().done !== true);
  deepStrictEqual({ seen, chunkCount }, { seen: [0, 2, 4], chunkCount: 2 });
});
