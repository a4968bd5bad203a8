// Promise: lines that differ in numbers, hexadecimal words, quoted text, paths and blanks only have one shape.

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import {
  kernelCounter,
  MAX_SHAPED_LINES,
  plainCounter,
  shapeCounter,
  tellingShapes,
  writeShape,
} from "./line_shapes.ts";

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
      ["id=b99a", "id=#"],
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

/** Bytes as lines of logs have them, and any. */
const LINE_BYTES = fc.oneof(
  fc.array(
    fc.constantFrom(
      "a",
      "f",
      "0",
      "12",
      "0x1f",
      "deadbe",
      "3fa9c01be",
      "/",
      "'",
      '"',
      "`",
      ".",
      ":",
      " ",
      "\t",
      "\r",
      "é",
      "can't",
      "v1.2-3",
      "x".repeat(50),
    ),
    { maxLength: 60 },
  ).map((words) => new TextEncoder().encode(words.join(""))),
  fc.uint8Array({ maxLength: 700 }),
);

/** A line that starts at `fromByte`. */
function lineAt(fromByte: number) {
  return { fromByte, toByte: fromByte + 1, hitByte: fromByte };
}

Deno.test("the kernel counts as the plain code does", () => {
  fc.assert(
    fc.property(fc.array(LINE_BYTES, { maxLength: 30 }), fc.nat({ max: 40 }), (lines, times) => {
      const [plain, kernel] = [plainCounter(), kernelCounter()!];
      for (let time = 0; time <= times; time++) {
        for (const [at, line] of lines.entries()) {
          const bytes = Buffer.from(line);
          for (const counter of [plain, kernel]) {
            counter.add(bytes, 0, bytes.length, lineAt(1000 * time + at));
          }
        }
      }
      deepStrictEqual(kernel.shapes(), plain.shapes());
      strictEqual(kernel.lineCount(), plain.lineCount());
    }),
    { numRuns: 120 },
  );
});

Deno.test("the kernel counts as many shapes as the plain code, and no further ones", () => {
  const [plain, kernel] = [plainCounter(), kernelCounter()!];
  for (let at = 0; at < 4000; at++) {
    const line = Buffer.from(
      `word ${String.fromCharCode(97 + at % 26, 97 + (at >> 3) % 26, 97 + (at >> 7))} x`,
    );
    for (const counter of [plain, kernel]) counter.add(line, 0, line.length, lineAt(at));
  }
  deepStrictEqual(kernel.shapes(), plain.shapes());
});

Deno.test("shapes are counted in order, up to a bound", () => {
  const counter = shapeCounter();
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
