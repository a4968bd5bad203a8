// Promise: what is in one of two contents only is found whatever the order, times and counters of steps.

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { unorderedLines } from "./unordered_lines.ts";

const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,8}$/), { minLength: 4, maxLength: 40 });

Deno.test("unordered lines: the lines of one side only, with their numbers, whatever the order and the times", () => {
  fc.assert(fc.property(
    names.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
    fc.nat(99),
    fc.subarray([0, 1, 2, 3]),
    ([before, shuffled], seed, lost) => {
      const gone = new Set(lost.map((at) => before[at]!));
      const after = shuffled.filter((name) => !gone.has(name));
      const rows = (all: readonly string[], salt: number) =>
        all.map((name, at) =>
          `[${at + 1}/${before.length}] built ${name} in ${1 + (seed * salt + at) % 90} ms`
        );
      const [then, now] = [rows(before, 1), [...rows(after, 7), "built other"]];
      const found = unorderedLines(encode(then), encode(now), 10);
      assertEquals(found?.gone.map(({ line }) => before[line - 1]), before.filter((name) => gone.has(name)));
      assertEquals(found?.fresh, [{
        line: now.length,
        text: "built other",
        heading: "",
        above: rows(after, 7).at(-1) ?? "",
      }]);
      assertEquals(unorderedLines(encode(then), encode(now), gone.size), undefined);
    },
  ));
});

Deno.test("unordered lines: a line below the path of its file is another one below the path of another file", () => {
  const lines = (file: string, other: string) => [file, "  3:5  unused", "", other, "  9:1  too long"];
  const [then, now] = [lines("a1.js", "b2.js"), lines("b2.js", "a1.js")];
  const found = unorderedLines(encode(then), encode(now), 10)!;
  const told = (all: typeof found.gone) => all.map(({ line, heading }) => `${line} ${heading}`);
  assertEquals([told(found.gone), told(found.fresh)], [["2 a1.js", "5 b2.js"], ["2 b2.js", "5 a1.js"]]);
  const moved = unorderedLines(encode(then), encode([...then.slice(3), "", ...then.slice(0, 2)]), 10)!;
  assertEquals(moved, { gone: [], fresh: [], isMoved: true, counts: [5, 5] });
});

function encode(lines: readonly string[]): Uint8Array {
  return new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""));
}
