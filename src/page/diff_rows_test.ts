import { assertEquals } from "@std/assert";
import { pairLines } from "./diff_rows.ts";

/** Pairs as text, with what differs in brackets. */
function pairs(removed: string[], added: string[]): (string | undefined)[][] {
  const marked = (text: string | undefined, ranges: readonly (readonly [number, number])[] = []) =>
    ranges.toReversed().reduce(
      (shown, [from, to]) => `${shown?.slice(0, from)}[${shown?.slice(from, to)}]${shown?.slice(to)}`,
      text,
    );
  return pairLines(removed, added).map(({ old, new: after, marks }) => [
    marked(old, marks?.[0]),
    marked(after, marks?.[1]),
  ]);
}

Deno.test("pairs: a line is beside the one that it became, and its changed words are marked", () => {
  assertEquals(
    pairs(
      ["import os", "test parser ... ok (12 ms)", "test writer ... ok (3 ms)"],
      ["test parser ... FAILED (15 ms)", "a new line", "test writer ... ok (4 ms)"],
    ),
    [
      ["import os", undefined],
      ["test parser ... [ok (12] ms)", "test parser ... [FAILED (15] ms)"],
      [undefined, "a new line"],
      ["test writer ... ok ([3] ms)", "test writer ... ok ([4] ms)"],
    ],
  );
});

Deno.test("pairs: lines that share no words are side by side in their order, unmarked", () => {
  assertEquals(pairs(["one", "two"], ["three"]), [["one", "three"], ["two", undefined]]);
  assertEquals(pairs([], ["new"]), [[undefined, "new"]]);
  assertEquals(pairs(["same words, other signs"], ["same words; other signs"]), [
    ["same words[,] other signs", "same words[;] other signs"],
  ]);
});

Deno.test("pairs: every line is there once, in its order, also of a change too large to be aligned", () => {
  const lines = (word: string, count: number) =>
    Array.from({ length: count }, (_, at) => `${word} ${at} `.repeat(3));
  for (const count of [7, 9000]) {
    const [old, after] = [lines("old", count), lines("new", count + 2)];
    const all = pairLines(old, after);
    assertEquals(all.flatMap(({ old }) => old ?? []), old);
    assertEquals(all.flatMap(({ new: line }) => line ?? []), after);
  }
});
