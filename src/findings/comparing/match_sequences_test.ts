// Promise: the match is a common subsequence, the longest one unless the search was cut short, and takes bounded time.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { matchSequences } from "./match_sequences.ts";

function staying(sequence: readonly number[], changed: Uint8Array): number[] {
  return sequence.filter((_, index) => changed[index] === 0);
}

/** The length of the longest common subsequence by dynamic programming. */
function longestCommon(a: readonly number[], b: readonly number[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const element of a) {
    const next = [0];
    for (const [index, other] of b.entries()) {
      next.push(element === other ? row[index]! + 1 : Math.max(row[index + 1]!, next[index]!));
    }
    row = next;
  }
  return row[b.length]!;
}

Deno.test("the match is the longest common subsequence", () => {
  const sequence = (elements: number) => fc.array(fc.nat(elements - 1), { maxLength: 40 });
  const pair = fc.integer({ min: 1, max: 6 }).chain((elements) =>
    fc.tuple(sequence(elements), sequence(elements))
  );
  fc.assert(
    fc.property(pair, ([a, b]) => {
      const { oldChanged, newChanged, isCoarse } = matchSequences(Int32Array.from(a), Int32Array.from(b), 6);
      assertEquals(staying(a, oldChanged), staying(b, newChanged));
      assertEquals(staying(a, oldChanged).length, longestCommon(a, b));
      assertEquals(isCoarse, false);
    }),
    { numRuns: 800 },
  );
});

Deno.test("a search that is cut short gives a common subsequence and is coarse", () => {
  // Two unlike walks through the same few elements: none can be removed first, and most are edits.
  const walk = (step: number) =>
    Array.from({ length: 6000 }, (_, index) => (index * index * step + (index >> 3)) % 97);
  const [a, b] = [walk(7), walk(11)];
  const { oldChanged, newChanged, isCoarse } = matchSequences(Int32Array.from(a), Int32Array.from(b), 97);
  assertEquals(staying(a, oldChanged), staying(b, newChanged));
  assert(isCoarse);
  assert(staying(a, oldChanged).length > 100);
});

Deno.test("elements that one side lacks do not count as edits of the search", () => {
  const a = Array.from({ length: 20_000 }, (_, index) => index % 2 === 0 ? index : 1);
  const b = Array.from({ length: 20_000 }, (_, index) => index % 2 === 0 ? index : 3);
  const { oldChanged, newChanged, isCoarse } = matchSequences(Int32Array.from(a), Int32Array.from(b), 20_000);
  assertEquals(staying(a, oldChanged), staying(b, newChanged));
  assertEquals([staying(a, oldChanged).length, isCoarse], [10_000, false]);
});
