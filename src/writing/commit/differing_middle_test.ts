// Promise: counting only the lines around the difference gives the counts of the whole contents.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { differingMiddle } from "./differing_middle.ts";
import { diffLines, tableLines } from "./line_diff.ts";

const encode = (text: string) => new TextEncoder().encode(text);

function counts(before: Uint8Array, after: Uint8Array): [number, number] {
  const { addedCount, removedCount } = diffLines(tableLines([before]), tableLines([after]));
  return [addedCount, removedCount];
}

const LINES = fc.array(fc.constantFrom("a\n", "b\n", "ab\n", "\n", "d", "é\n", "\r\n"), { maxLength: 12 })
  .map((lines) => lines.join(""));

Deno.test("the middle of any two contents has the added and removed lines of the whole", () => {
  fc.assert(
    fc.property(LINES, LINES, LINES, LINES, (head, before, after, tail) => {
      const one = encode(head + before + tail);
      const other = encode(head + after + tail);
      const middle = differingMiddle(one, other);
      assertEquals(counts(middle.before, middle.after), counts(one, other));
    }),
    { numRuns: 1000 },
  );
});

Deno.test("the differing middle is found anywhere in contents of many windows", () => {
  const line = (number: number) => `line ${String(number).padStart(8)}\n`;
  const lines = Array.from({ length: 20_000 }, (_, at) => line(at));
  const before = encode(lines.join(""));
  for (const at of [0, 1, 4681, 4682, 9999, 19_998, 19_999]) {
    const after = encode(lines.with(at, "another\n").join(""));
    const middle = differingMiddle(before, after);
    assertEquals(
      [new TextDecoder().decode(middle.before), new TextDecoder().decode(middle.after)],
      [line(at), "another\n"],
      `line ${at}`,
    );
  }
  const same = differingMiddle(before, before.slice());
  assert(same.before.length + same.after.length <= 2 * line(0).length);
});
