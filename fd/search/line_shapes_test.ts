// Promise: lines that differ in numbers, hexadecimal words, quoted text, paths and blanks only have one shape.

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { MAX_SHAPED_LINES, shapeCounter, tellingShapes } from "./line_shapes.ts";

/** The shapes of lines, each with the numbers of its first lines. */
function shapesOf(lines: readonly (string | Uint8Array)[]): { count: number; lines: number[] }[] {
  const counter = shapeCounter()!;
  for (const [at, line] of lines.entries()) {
    const bytes = Buffer.from(line as string);
    counter.add(bytes, 0, bytes.length, lineAt(at));
  }
  return counter.shapes().map(({ count, lines }) => ({
    count,
    lines: lines.map(({ fromByte }) => fromByte),
  }));
}

Deno.test("what differs from line to line is masked, and nothing else", () => {
  const alike = [
    ["hit 12", "hit 7", "hit  1.5", "hit 0x7ffe12 "],
    ["   Compiling serde v1.0.219", "Compiling serde v2\t"],
    ["2026-11-23T10:00:01.123Z  GET", "1T2Z GET"],
    ["id=b99a", "id=7"],
    ["at 0x7ffe12 in commit 3fa9c01be", "at 1 in commit 2"],
    ["open '/tmp/a b' and \"x\": can't", "open '' and \"y z\": can't"],
    ["src/main.rs:12:5: error", "a/b error", "x\\y error"],
    ["a/b", "/usr/lib"],
    ["deadbeef is a word"],
    ["decade is a word"],
    ["\t", "", " \r"],
    ["é 漢 5", "é 漢 6"],
    ["it's", "  it's"],
  ];
  let before = 0;
  const wanted = alike.map((lines) => {
    before += lines.length;
    const from = before - lines.length;
    return { count: lines.length, lines: lines.slice(0, 3).map((_, at) => from + at) };
  });
  deepStrictEqual(shapesOf(alike.flat()), wanted);
});

Deno.test("any lines have shapes, and the same ones have the same", () => {
  const anyLines = fc.array(fc.uint8Array({ maxLength: 700 }), { maxLength: 30 });
  fc.assert(
    fc.property(anyLines, fc.nat({ max: 40 }), (lines, times) => {
      const all = Array.from({ length: times + 1 }, () => lines).flat();
      const once = shapesOf(lines);
      strictEqual(once.reduce((sum, { count }) => sum + count, 0), lines.length);
      deepStrictEqual(shapesOf(all).map(({ count }) => count), once.map(({ count }) => count * (times + 1)));
    }),
    { numRuns: 120 },
  );
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.constantFrom("took %ms", "[%/%]", "t%: x"), (one, other, line) => {
      strictEqual(shapesOf([line.replaceAll("%", `${one}`), line.replaceAll("%", `${other}`)]).length, 1);
    }),
  );
});

/** A line that starts at `fromByte`. */
function lineAt(fromByte: number) {
  return { fromByte, toByte: fromByte + 1, hitByte: fromByte };
}

Deno.test("a bounded number of shapes is counted", () => {
  const letters = (at: number) =>
    String.fromCharCode(97 + at % 26, 97 + (at / 26 | 0) % 26, 97 + (at / 676 | 0));
  const lines = Array.from({ length: 4000 }, (_, at) => `word ${letters(at)}zz x`);
  deepStrictEqual(shapesOf([...lines, lines[0]!]).map(({ count }) => count), [2, ...Array(1999).fill(1)]);
});

Deno.test("shapes are counted in order, up to a bound", () => {
  const counter = shapeCounter()!;
  const add = (line: string, at: number) =>
    counter.add(Buffer.from(line), 0, Buffer.byteLength(line), lineAt(at));
  add("ok 1", 0);
  add("odd", 5);
  for (let count = 2; count <= MAX_SHAPED_LINES; count++) add(`ok ${count}`, 9);
  add("later", 100);
  deepStrictEqual(counter.shapes(), [
    { count: MAX_SHAPED_LINES - 1, lines: [0, 9, 9].map(lineAt), example: "ok 1" },
    { count: 1, lines: [lineAt(5)], example: "odd" },
  ]);
});

Deno.test("of many shapes, the most and the least frequent are reported", () => {
  const shapes = Array.from(
    { length: 40 },
    (_, at) => ({ count: 1 + at % 20, lines: [lineAt(at)], example: "" }),
  );
  deepStrictEqual(
    tellingShapes(shapes).map(({ count, lines }) => [count, lines[0]!.fromByte]),
    [[20, 19], [20, 39], [19, 18], [19, 38], [4, 3], [4, 23], [3, 2], [3, 22], [2, 1], [2, 21], [1, 0], [
      1,
      20,
    ]],
  );
});
