// Promise: lines that differ in numbers, hexadecimal words, quoted text, paths and blanks only have one shape.

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { MAX_SHAPED_LINES, shapeCounter, tellingShapes, writeShape } from "./line_shapes.ts";

function shapeOf(line: string): string {
  const bytes = Buffer.from(line);
  const into = Buffer.alloc(200);
  return into.toString("utf8", 0, writeShape(bytes, 0, bytes.length, into));
}

Deno.test("what differs from line to line is masked", () => {
  for (
    const [line, shape] of [
      ["hit 12", "hit #"],
      ["   Compiling serde v1.0.219", "Compiling serde v#"],
      ["2026-11-23T10:00:01.123Z  GET", "#T#Z GET"],
      ["at 0x7ffe12 in commit 3fa9c01be", "at # in commit #"],
      ["open '/tmp/a b' and \"x\": can't", "open '*' and \"*\": can't"],
      ["src/main.rs:12:5: error", "*/* error"],
      ["a/b", "*/*"],
      ["deadbeef is a word", "deadbeef is a word"],
      ["\t", ""],
      ["", ""],
      ["é 漢 5", "é 漢 #"],
    ] as const
  ) strictEqual(shapeOf(line), shape, line);
});

Deno.test("any bytes have a shape of bounded length, and one that other numbers share", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 700 }), (bytes) => {
    const into = new Uint8Array(168);
    strictEqual(writeShape(bytes, 0, bytes.length, into) <= 160, true);
  }));
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.constantFrom("took %ms", "[%/%]", "t%: x"), (one, other, line) => {
      strictEqual(shapeOf(line.replaceAll("%", `${one}`)), shapeOf(line.replaceAll("%", `${other}`)));
    }),
  );
});

Deno.test("shapes are counted in order, up to a bound", () => {
  const counter = shapeCounter();
  const add = (line: string, at: number) => counter.add(Buffer.from(line), 0, Buffer.byteLength(line), at);
  add("ok 1", 0);
  add("odd", 5);
  for (let count = 2; count <= MAX_SHAPED_LINES; count++) add(`ok ${count}`, 9);
  add("later", 100);
  deepStrictEqual(counter.shapes(), [
    { count: MAX_SHAPED_LINES - 1, fromByte: 0, example: "ok 1" },
    { count: 1, fromByte: 5, example: "odd" },
  ]);
});

Deno.test("of many shapes, the most and the least frequent are reported", () => {
  const shapes = Array.from({ length: 40 }, (_, at) => ({ count: 1 + at % 20, fromByte: at, example: "" }));
  deepStrictEqual(
    tellingShapes(shapes).map(({ count, fromByte }) => [count, fromByte]),
    [[20, 19], [20, 39], [19, 18], [19, 38], [4, 3], [4, 23], [3, 2], [3, 22], [2, 1], [2, 21], [1, 0], [
      1,
      20,
    ]],
  );
});
