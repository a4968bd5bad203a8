/** Reading to a mark: what is handed out, joined, is what stands before the mark, however the bytes arrive. @module */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { readToMark } from "./read_to_mark.ts";

/** Gives `bytes` in pieces of these lengths (repeated), then ends. */
function pieces(bytes: Uint8Array, lengths: readonly number[]): (into: Uint8Array) => number {
  let at = 0;
  let turn = 0;
  return (into) => {
    const length = Math.min(lengths[turn++ % lengths.length]!, bytes.length - at, into.length);
    into.set(bytes.subarray(at, at + length));
    at += length;
    return length;
  };
}

Deno.test("read to mark: the bytes before it, those after it, and nothing of itself", () => {
  const byte = fc.integer({ min: 0, max: 2 });
  fc.assert(fc.property(
    fc.uint8Array({ max: 2, maxLength: 60 }),
    fc.array(byte, { minLength: 1, maxLength: 6 }),
    fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
    (bytes, markBytes, lengths) => {
      const mark = Uint8Array.from(markBytes);
      const reader = readToMark(mark, pieces(bytes, lengths));
      const got: number[] = [];
      for (;;) {
        const window = new Uint8Array(16);
        const length = reader.read(window);
        if (length === 0) break;
        got.push(...window.subarray(0, length));
      }
      // The model: the first place at which the mark stands.
      const text = bytes.join("");
      const at = text.indexOf(mark.join(""));
      assertEquals(got.join(""), at < 0 ? text : text.slice(0, at));
      const rest = reader.rest().join("");
      if (at >= 0) assertEquals(text.slice(at + mark.length).startsWith(rest), true);
      else assertEquals(rest, "");
    },
  ));
});
