// Promise: a bound cuts at a line end, and the part and the rest together are exactly the slice.

import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { boundSlice, countChars, locateSlice, putBytes, readSlice, readWhole } from "../mod.ts";

Deno.test("the parts of a bound slice tile it, and none is longer than the bound", () => {
  using temporary = temporaryStore();
  const { store } = temporary;
  const piece = fc.constantFrom("a", "bb\n", "\n", "é", "😀", "\xff\n", "long line without end");
  const content = fc.array(piece, { minLength: 1, maxLength: 30 });
  const mode = fc.constantFrom("page", "line", "char");
  fc.assert(
    fc.property(
      content,
      mode,
      fc.nat(),
      fc.nat(9),
      fc.integer({ min: 1, max: 12 }),
      (pieces, mode, at, count, most) => {
        const bytes = Buffer.from(pieces.join(""), pieces.length % 2 === 0 ? "utf8" : "latin1");
        const entry = putBytes(store, bytes, { source: "test", pageSize: 7 });
        const total = { page: entry.pageCount, line: entry.lineCount, char: entry.charCount }[mode];
        const start = at % total + (mode === "char" ? 0 : 1);
        const whole = locateSlice(store, entry, { mode, start, count: count + 1 });

        const parts: Buffer[] = [];
        let slice = whole;
        for (;;) {
          const bound = boundSlice(store, entry, slice, most);
          const shown = readWhole(readSlice(store, entry, bound?.slice ?? slice));
          parts.push(Buffer.from(shown));
          assert(countChars(shown) <= most);
          if (bound === undefined) break;
          assertEquals(countChars(shown), bound.charCount);
          assert(bound.charCount === most || shown.at(-1) === 0x0a, "cut short of a line end");
          slice = locateSlice(store, entry, bound.rest);
        }
        assertEquals(Buffer.concat(parts).equals(bytes.subarray(whole.fromByte, whole.toByte)), true);
      },
    ),
    { numRuns: 60 },
  );
});
