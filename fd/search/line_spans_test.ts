// Promise: the matches within a line are those of JavaScript, in a line of any length and in whatever pieces it comes.

import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { type LineSpan, lineSpanFinder, OVERLAP_BYTES } from "./line_spans.ts";
import type { PatternOptions } from "./line_finder.ts";

/** Each match with the number of chars before it. */
function listed(spans: Iterable<LineSpan>): string[] {
  const found: string[] = [];
  for (const { fromChar, bytes, from, to } of spans) {
    found.push(`${fromChar}:${bytes.toString("utf8", from, to)}`);
  }
  return found;
}

function* cut(line: Buffer, pieceBytes: number): Iterable<Uint8Array> {
  for (let at = 0; at < line.length; at += pieceBytes) yield line.subarray(at, at + pieceBytes);
}

function modelled(line: string, pattern: string): string[] {
  return [...line.matchAll(new RegExp(pattern, "gu"))].filter(([match]) => match !== "")
    .map((match) => `${[...line.slice(0, match.index)].length}:${match[0]}`);
}

Deno.test("matches within random lines are JavaScript's, whole or in pieces", () => {
  const piece = fc.constantFrom("a", "b", "é", "😀", ".", "[ab]", "(?:a|ab)", "\\bb", "b\\b", "\\Ba");
  const pattern = fc.array(fc.tuple(piece, fc.constantFrom("", "?", "+", "*?")), {
    minLength: 1,
    maxLength: 4,
  })
    .map((pieces) => pieces.map(([one, many]) => one.includes("\\") ? one : one + many).join(""));
  const line = fc.array(fc.constantFrom("a", "b", "é", "😀", "-"), { minLength: 1, maxLength: 14 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(line, pattern, fc.integer({ min: 1, max: 5 }), (text, sought, pieceBytes) => {
      const bytes = Buffer.from(text);
      // JavaScript's \b knows ASCII only.
      fc.pre(!/\\/.test(sought) || !text.includes("é"));
      const { inLine, inPieces } = lineSpanFinder({ pattern: sought });
      assertEquals(listed(inLine(bytes)), modelled(text, sought));
      assertEquals(listed(inPieces(cut(bytes, pieceBytes), true)), modelled(text, sought));
    }),
    { numRuns: 200 },
  );
});

Deno.test("matches anywhere in a line of many windows are found once", () => {
  const filler = "é".repeat(10_007);
  const line = Array.from({ length: 20 }, (_, at) => `${filler}<n${at}>`).join("");
  const bytes = Buffer.from(line);
  for (const pattern of ["<n\\d+>", "é<[^>]*", "n\\d+(?:>é|>$)"]) {
    const { inPieces } = lineSpanFinder({ pattern });
    for (const pieceBytes of [32_768, 65_521]) {
      assertEquals(listed(inPieces(cut(bytes, pieceBytes), true)), modelled(line, pattern), pattern);
    }
  }
});

Deno.test("a match longer than the overlap is found in parts that say so", () => {
  const line = Buffer.from(`<${"x".repeat(5 * OVERLAP_BYTES)}>`);
  const spans = [...lineSpanFinder({ pattern: "<x+>?" }).inPieces(cut(line, 32_768), true)];
  assertEquals(spans.map(({ isPart }) => isPart), [true]);
});

Deno.test("words, plain text, case and several patterns match as lines do", () => {
  const matches = (options: PatternOptions, line: string) =>
    listed(lineSpanFinder(options).inLine(Buffer.from(line)));
  assertEquals(matches({ pattern: "é", word: true }, "é-éé é"), ["0:é", "5:é"]);
  assertEquals(matches({ pattern: "a|ab", word: true }, "ab a"), ["0:ab", "3:a"]);
  assertEquals(matches({ pattern: "a.", fixed: true }, "ab a. a."), ["3:a.", "6:a."]);
  assertEquals(matches({ pattern: "ERR", ignoreCase: true }, "err Err"), ["0:err", "4:Err"]);
  assertEquals(matches({ pattern: ["a", "b+"] }, "abba"), ["0:a", "1:bb", "3:a"]);
});
