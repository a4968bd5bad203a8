// Promise: matches are found where `indexOf` finds them, however the bytes are split, in linear time.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { byteSearch, placesOfSought, prepareSought } from "./sequence_search.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

function modelled(text: string, sought: string, overlapping: boolean): number[] {
  const found: number[] = [];
  const step = overlapping ? 1 : sought.length;
  for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, at + step)) found.push(at);
  return found;
}

/** Offsets of `sought` in the joined pieces. */
function searched(pieces: readonly string[], sought: string, overlapping: boolean): number[] {
  const search = byteSearch(bytesOf(sought));
  const found: number[] = [];
  let start = 0;
  for (const piece of pieces) {
    // Bytes around the piece, which the search must ignore.
    const bytes = bytesOf(`${sought}${piece}${sought}`);
    const from = sought.length;
    const to = from + piece.length;
    for (let at = search.next(bytes, from, to); at !== -1; at = search.next(bytes, at, to)) {
      found.push(start + at - from - sought.length);
      if (!overlapping) search.forget();
    }
    start += piece.length;
  }
  return found;
}

Deno.test("every match is found, overlapping or not, in one piece or many", () => {
  const few = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 6 });
  const long = few.map((text) => text.repeat(9).slice(0, 24));
  const pieces = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 40 }), { maxLength: 5 });
  let foundCount = 0;
  fc.assert(
    fc.property(pieces, fc.oneof(few, long), fc.boolean(), (given, sought, overlapping) => {
      const text = given.join("");
      const wanted = modelled(text, sought, overlapping);
      assertEquals(searched(given, sought, overlapping), wanted);
      foundCount += wanted.length;
      if (!overlapping) return;
      const prepared = prepareSought(bytesOf(sought));
      assertEquals([...placesOfSought(bytesOf(text), prepared)], wanted);
    }),
    { numRuns: 1200 },
  );
  assert(foundCount > 400, String(foundCount));
});

Deno.test("a self-overlapping text is read a few times, not once per byte", () => {
  const length = 20_000;
  const text = "a".repeat(2 * length);
  for (
    const [sought, wantedCount] of [["a".repeat(length), length + 1], [`${"a".repeat(length)}b`, 0]] as const
  ) {
    let readCount = 0;
    const counted = new Proxy(bytesOf(text), {
      get(target, key) {
        if (typeof key === "string" && /^\d+$/.test(key)) readCount++;
        return Reflect.get(target, key);
      },
    });
    const placeCount = [...placesOfSought(counted, prepareSought(bytesOf(sought)))].length;
    assertEquals(placeCount, wantedCount);
    assert(readCount < 10 * text.length, String(readCount));
  }
});
