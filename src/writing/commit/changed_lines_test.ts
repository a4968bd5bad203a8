// Promise: the ranges of a write cover exactly the lines that differ, and the lines around what was only removed.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { changedLines } from "./changed_lines.ts";
import { diffLines, tableLines } from "./line_diff.ts";

function rangesOf(before: readonly string[], after: readonly string[]): string | undefined {
  const table = (lines: readonly string[]) =>
    tableLines([new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""))]);
  return changedLines(diffLines(table(before), table(after)).changes, after.length);
}

function numbersIn(ranges: string | undefined): number[] {
  return (ranges ?? "").split(",").filter((range) => range !== "").flatMap((range) => {
    const [first, last = first] = range.split("-").map(Number);
    return Array.from({ length: last! - first! + 1 }, (_, at) => first! + at);
  });
}

Deno.test("lines outside the ranges are lines of the old file, in its order", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 14 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const changed = new Set(numbersIn(rangesOf(before, after)));
      assert([...changed].every((line) => line >= 1 && line <= after.length));
      let at = 0;
      for (const [index, line] of after.entries()) {
        if (changed.has(index + 1)) continue;
        at = before.indexOf(line, at) + 1;
        assert(at > 0, `line ${index + 1} is new, and not in ${[...changed]}`);
      }
      if (before.join("\n") !== after.join("\n") && after.length > 0) assert(changed.size > 0);
    }),
    { numRuns: 500 },
  );
});

Deno.test("adjacent ranges are one, and only the first twenty are named", () => {
  const numbered = Array.from({ length: 100 }, (_, at) => `line ${at + 1}`);
  const edited = numbered.map((line, at) => at % 3 === 0 ? `${line}!` : line);
  assertEquals(rangesOf(numbered, numbered.with(4, "x").with(5, "y").with(8, "z")), "5-6,9");
  assertEquals(rangesOf(numbered, numbered.slice(0, 50)), "50");
  assertEquals(rangesOf(numbered, []), undefined);
  assert(rangesOf(numbered, edited)!.endsWith(",55,58,…"));
});
