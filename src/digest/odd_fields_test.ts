import { deepStrictEqual } from "node:assert/strict";
import { oddFieldLines } from "./odd_fields.ts";
import { newStudy, studyLines } from "./studied_lines.ts";

function oddIn(lines: readonly string[]): number[] {
  const study = newStudy();
  studyLines(study, new TextEncoder().encode(`${lines.join("\n")}\n`), 1);
  return study.pieces.flatMap((piece) => oddFieldLines(piece, study.shapes));
}

const requests = (count: number) =>
  Array.from({ length: count }, (_, at) => `GET /items/${at} state=ready took 0.0${10 + at % 80} s`);

Deno.test("a rare word where all other lines have one of a few is odd", () => {
  const lines = requests(600);
  lines[311] = "GET /items/311 state=stale took 0.020 s";
  deepStrictEqual(oddIn(lines), [312]);
});

Deno.test("a number far above all others in its place is odd", () => {
  const lines = requests(600);
  lines[99] = "GET /items/99 state=ready took 4.120 s";
  deepStrictEqual(oddIn(lines), [100]);
});

Deno.test("nothing is odd among lines alike, names that all differ, or too few lines", () => {
  deepStrictEqual(oddIn(requests(600)), []);
  deepStrictEqual(oddIn(Array.from({ length: 600 }, (_, at) => `user ${nameOf(at)} came`)), []);
  const few = requests(70);
  few[50] = "GET /items/50 state=stale took 9.000 s";
  deepStrictEqual(oddIn(few), []);
});

function nameOf(at: number): string {
  return Array.from(String(at), (digit) => "abcdefghij"[Number(digit)]).join("");
}
