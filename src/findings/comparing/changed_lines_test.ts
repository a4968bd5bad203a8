// Promise: the counts of a write are those of its diff, whether or not its contents are in memory. Its ranges cover
// exactly the lines that differ, and the lines around what was only removed.

import { bytesSource } from "../../../fd/mod.ts";
import { assert, assertEquals } from "@std/assert";
import { applyPatch } from "diff";
import fc from "fast-check";
import { unifiedDiff } from "./unified_diff.ts";
import { type ChangedLineCounts, countChangedLines } from "./changed_lines.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** The counts of a write that replaces `before` by `after`, which is in memory or comes in pieces. */
function counts(before: string, after: string, isInMemory = true): ChangedLineCounts {
  const content = bytesSource(encode(after));
  return countChangedLines(
    bytesSource(encode(before)),
    isInMemory ? content : { chunks: () => content.chunks() },
  );
}

/** Checks the counts against the diff, which must lead from `before` to `after`. */
function assertAsInDiff(before: string, after: string): void {
  const { addedCount, removedCount } = counts(before, after);
  const diff = new TextDecoder().decode(
    unifiedDiff({ name: "a", bytes: encode(before) }, { name: "b", bytes: encode(after) }),
  );
  if (diff !== "") assertEquals(applyPatch(before, diff, { autoConvertLineEndings: false }), after);
  const shown = diff.split("\n").slice(2);
  assertEquals(addedCount, shown.filter((line) => line.startsWith("+")).length);
  assertEquals(removedCount, shown.filter((line) => line.startsWith("-")).length);
}

const LINES = fc.array(fc.constantFrom("a\n", "b\n", "ab\n", "\n", "d", "é\n", "\r\n"), { maxLength: 12 })
  .map((lines) => lines.join(""));

Deno.test("contents in memory, of which only the middle is compared, have the counts of whole ones", () => {
  fc.assert(
    fc.property(LINES, LINES, LINES, LINES, (head, before, after, tail) => {
      const [one, other] = [head + before + tail, head + after + tail];
      assertEquals(counts(one, other), counts(one, other, false));
      assertAsInDiff(one, other);
    }),
    { numRuns: 400 },
  );
});

Deno.test("texts with nothing in common are compared quickly", () => {
  const lines = (prefix: string) =>
    Array.from({ length: 20_000 }, (_, line) => `${prefix}${line}\n`).join("");
  const { addedCount, removedCount, lines: ranges } = counts(lines("a"), lines("b"));
  assertEquals([addedCount, removedCount, ranges], [20_000, 20_000, "1-20000"]);
});

Deno.test("the counts match the diff even if too much differs for the shortest diff", () => {
  const lines = (numbers: readonly number[]) => numbers.map((number) => `${number}\n`).join("");
  const numbers = Array.from({ length: 5000 }, (_, at) => at);
  assertAsInDiff(lines(numbers), lines(numbers.toReversed()));
});

function rangesOf(before: readonly string[], after: readonly string[]): string | undefined {
  const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
  return counts(text(before), text(after)).lines;
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
    { numRuns: 200 },
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
