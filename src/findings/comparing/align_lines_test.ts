// Promise: the changes turn the old lines into the new ones with windows of any size. If lines moved farther than the
// window, the result is reported as coarse, not wrong.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { alignLines, type ChangedLines } from "./align_lines.ts";

function align(before: readonly number[], after: readonly number[], windowLines?: number) {
  const changes: ChangedLines[] = [];
  const steps = alignLines(before, after, windowLines);
  for (let step = steps.next();; step = steps.next()) {
    if (step.done === true) return { changes, isCoarse: step.value.isCoarse };
    changes.push(...step.value);
  }
}

/** The old lines with all changes applied. */
function apply(
  before: readonly number[],
  after: readonly number[],
  changes: readonly ChangedLines[],
): number[] {
  const made: number[] = [];
  let oldLine = 0;
  for (const { oldFirst, oldCount, newFirst, newCount } of changes) {
    assert(oldFirst >= oldLine && oldCount + newCount > 0);
    made.push(...before.slice(oldLine, oldFirst));
    assertEquals(made.length, newFirst);
    made.push(...after.slice(newFirst, newFirst + newCount));
    oldLine = oldFirst + oldCount;
  }
  return [...made, ...before.slice(oldLine)];
}

Deno.test("changes turn the old lines into the new ones, in windows of any size", () => {
  const lines = fc.array(fc.nat(5), { maxLength: 60 });
  fc.assert(
    fc.property(lines, lines, fc.integer({ min: 4, max: 80 }), (before, after, windowLines) => {
      const { changes } = align(before, after, windowLines);
      assertEquals(apply(before, after, changes), after);
      if (before.join() === after.join()) assertEquals(changes, []);
    }),
    { numRuns: 800 },
  );
});

Deno.test("few changes in long contents are found exactly, across windows", () => {
  const before = Array.from({ length: 5000 }, (_, line) => line);
  const after = before.filter((line) => line % 1000 !== 17).map((line) => line % 1000 === 500 ? -line : line);
  const { changes, isCoarse } = align(before, after, 64);
  assertEquals(apply(before, after, changes), after);
  assertEquals([changes.length, isCoarse], [10, false]);
});

Deno.test("lines that moved farther than the window make the result coarse", () => {
  const lines = Array.from({ length: 1000 }, (_, line) => line);
  const moved = [...Array.from({ length: 500 }, (_, line) => 10_000 + line), ...lines];
  const { changes, isCoarse } = align(lines, moved, 64);
  assertEquals(apply(lines, moved, changes), moved);
  assertEquals(isCoarse, true);
  assertEquals(align(lines, moved).changes, [{ oldFirst: 0, oldCount: 0, newFirst: 0, newCount: 500 }]);
});

Deno.test("a side that ends early does not make the result coarse", () => {
  const lines = Array.from({ length: 1000 }, (_, line) => line);
  const { changes, isCoarse } = align(lines.slice(0, 10), lines, 64);
  assertEquals(apply(lines.slice(0, 10), lines, changes), lines);
  assertEquals(isCoarse, false);
});
