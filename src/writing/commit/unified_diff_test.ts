// Promise: a dry run's diff, applied to the old content, gives the new one, and its counts are those of the result.

import { assert, assertEquals } from "@std/assert";
import { applyPatch } from "diff";
import fc from "fast-check";
import { diffLines, tableLines } from "./line_diff.ts";
import { unifiedDiff } from "./unified_diff.ts";

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("any diff, applied to the old text, gives the new one", () => {
  const text = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "d", "é\n", "\r\n", " x\n"), { maxLength: 30 })
    .map((lines) => lines.join(""));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = new TextDecoder().decode(
        unifiedDiff({ name: "f", bytes: encode(before) }, { name: "f", bytes: encode(after) }),
      );
      assertEquals(diff === "", before === after);
      if (diff !== "") assertEquals(applyPatch(before, diff, { autoConvertLineEndings: false }), after);
      const { addedCount, removedCount } = diffLines(
        tableLines([encode(before)]),
        tableLines([encode(after)]),
      );
      const lines = diff.split("\n").slice(2);
      assertEquals(lines.filter((line) => line.startsWith("+")).length, addedCount);
      assertEquals(lines.filter((line) => line.startsWith("-")).length, removedCount);
    }),
    { numRuns: 500 },
  );
});

Deno.test("content has the same lines however it is split", () => {
  fc.assert(fc.property(fc.uint8Array(), fc.nat(), (bytes, cut) => {
    const at = bytes.length === 0 ? 0 : cut % bytes.length;
    assertEquals(tableLines([bytes.subarray(0, at), bytes.subarray(at)]), tableLines([bytes]));
  }));
});

Deno.test("texts with nothing in common are compared quickly", () => {
  const lines = (prefix: string) =>
    encode(Array.from({ length: 20_000 }, (_, line) => `${prefix}${line}\n`).join(""));
  const diff = diffLines(tableLines([lines("a")]), tableLines([lines("b")]));
  assertEquals([diff.addedCount, diff.removedCount, diff.changes.length], [20_000, 20_000, 1]);
});

Deno.test("the counts match the diff even if too much differs for the shortest diff", () => {
  const lines = (numbers: readonly number[]) => numbers.map((number) => `${number}\n`).join("");
  const numbers = Array.from({ length: 5000 }, (_, at) => at);
  const [before, after] = [lines(numbers), lines(numbers.toReversed())];
  const { addedCount, removedCount } = diffLines(tableLines([encode(before)]), tableLines([encode(after)]));
  const diff = new TextDecoder().decode(
    unifiedDiff({ name: "a", bytes: encode(before) }, { name: "b", bytes: encode(after) }),
  );
  assertEquals(applyPatch(before, diff), after);
  const shown = diff.split("\n").slice(2);
  assertEquals(addedCount, shown.filter((line) => line.startsWith("+")).length);
  assertEquals(removedCount, shown.filter((line) => line.startsWith("-")).length);
});

Deno.test("content that is not text is shown as binary", () => {
  const diff = unifiedDiff({ name: "a", bytes: Uint8Array.of(0, 1) }, {
    name: "b",
    bytes: Uint8Array.of(1),
  });
  assert(new TextDecoder().decode(diff).startsWith("Binary files a and b differ"));
});
