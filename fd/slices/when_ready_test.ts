// Promise: what locating, bounding, cleaning and reading a slice read is got before, and little else.

import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { FdError } from "../disk/errors.ts";
import { putBytes } from "../put/put_bytes.ts";
import { boundIn, locateIn, type Slice, type SliceRequest } from "./locate_slice.ts";
import { cleanSlice } from "./clean_slice.ts";
import { sliceNeedsCleaning } from "./needs_cleaning_in.ts";
import { type OpenContent, openContent } from "./open_content.ts";
import { readIn } from "./read_slice.ts";
import { whenReady } from "./when_ready.ts";

const SMALL_BYTES = 65_536;

/** The same content, which refuses what was not prepared. */
function strict(content: OpenContent, withIndex: boolean): OpenContent & { asked: Set<number> } {
  const blocks = new Set<number>();
  const entries = new Set<number>();
  const add = (set: Set<number>) => (from: number, to: number): undefined => {
    for (let block = Math.max(0, from); block < to; block++) set.add(block);
  };
  const prepareEntries = add(entries);
  const addBlocks = add(blocks);
  return {
    ...content,
    asked: blocks,
    index: {
      blockCount: content.index.blockCount,
      at(block) {
        assert(!withIndex || entries.has(block), `entry ${block} was not prepared`);
        return content.index.at(block);
      },
    },
    block(block) {
      assert(blocks.has(block), `block ${block} was not prepared`);
      return content.block(block);
    },
    prepare(from, to) {
      prepareEntries(from, to + 1);
      return addBlocks(from, to);
    },
    prepareEntries: withIndex ? prepareEntries : undefined,
  };
}

const PIECES = [
  "a",
  "words of a line\n",
  "é",
  "\n",
  "😀😀\n",
  "\x1b[1mbold\x1b[0m\n",
  "\xff",
  "x".repeat(40_000),
];

const contents = fc.record({
  pieces: fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 12 }),
  repeats: fc.integer({ min: 1, max: 6000 }),
  pageSize: fc.constantFrom(100, 3000, 25_000, 70_000),
});

const requests = fc.oneof(
  fc.record({
    mode: fc.constantFrom("page" as const, "line" as const, "char" as const),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    count: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 1_000_000 })),
  }),
  fc.record({ since: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({
    mode: fc.constantFrom("line" as const, "char" as const),
    tail: fc.integer({ min: 1, max: 9000 }),
  }),
);

Deno.test("all that a slice reads was prepared, and little else", async () => {
  using temporary = temporaryStore();
  const { store } = temporary;
  await fc.assert(
    fc.asyncProperty(
      contents,
      fc.array(requests, { minLength: 1, maxLength: 8 }),
      fc.option(fc.integer({ min: 1, max: 100_000 })),
      fc.boolean(),
      async ({ pieces, repeats, pageSize }, asked, maxChars, withIndex) => {
        const once = Buffer.from(pieces.join(""), repeats % 2 === 0 ? "utf8" : "latin1");
        const bytes = Buffer.alloc(Math.min(once.length * repeats, 400_000), once);
        const entry = putBytes(store, bytes, { source: "test", pageSize });
        const totals = { page: entry.pageCount, line: entry.lineCount, char: entry.charCount };
        for (const each of asked) {
          const request: SliceRequest = "since" in each
            ? { since: Math.floor(each.since * entry.byteCount) }
            : "tail" in each
            ? each
            : {
              mode: each.mode,
              start: Math.min(Math.floor(each.at * totals[each.mode]), totals[each.mode] - 1) +
                (each.mode === "char" ? 0 : 1),
              count: each.count,
            };
          const open = openContent(store, entry);
          const content = strict(open, withIndex);
          try {
            const read = (each: OpenContent) => {
              const slice = locateIn(each, request);
              const bound = maxChars === null ? undefined : boundIn(each, slice, maxChars);
              const shown: Slice = bound?.slice ?? slice;
              if (shown.toByte - shown.fromByte > SMALL_BYTES) return { slice, shown };
              readIn(store, each, shown);
              return {
                slice,
                shown,
                clean: sliceNeedsCleaning(each, shown) && cleanSlice(store, each, shown).leftOutChars,
              };
            };
            assertEquals(await whenReady(content, read), read(open));
          } catch (thrown) {
            // A cursor may be inside a char.
            if (!(thrown instanceof FdError)) throw thrown;
            assertEquals(thrown.failure.kind, "invalid_parameter");
          } finally {
            open.close();
          }
        }
      },
    ),
    { numRuns: 40 },
  );
});

Deno.test("a few lines of long content need the blocks that they are in", async () => {
  using temporary = temporaryStore();
  const { store } = temporary;
  const text = Array.from({ length: 200_000 }, (_, line) => `line ${line} of a log\n`).join("");
  const entry = putBytes(store, Buffer.from(text), { source: "test" });
  for (const start of [1, 777, 100_000, 199_990]) {
    const open = openContent(store, entry);
    const content = strict(open, true);
    try {
      const request = { mode: "line", start, count: 5 } as const;
      await whenReady(content, (ready) => readIn(store, ready, locateIn(ready, request)));
      assert(content.asked.size <= 2, `${content.asked.size} blocks`);
    } finally {
      open.close();
    }
  }
});
