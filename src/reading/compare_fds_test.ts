// Promise: applying a diff of two fds to the old one gives the new one, and its counts are those of its lines.

import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { applyPatch } from "diff";
import fc from "fast-check";
import { putBytes, type Store } from "../../fd/mod.ts";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { compareFds } from "./compare_fds.ts";
import { type Ignored, NOTHING_IGNORED, VOLATILE } from "../findings/comparing/ignored_text.ts";

const NOTHING = NOTHING_IGNORED;

async function diffOf(store: Store, before: string, after: string, contextLines: number, isExact = true) {
  const [old, made] = [before, after].map((text) => putBytes(store, Buffer.from(text), { source: "test" }));
  const pieces: Buffer[] = [];
  const found = await compareFds(
    store,
    old!,
    made!,
    { contextLines, ignored: NOTHING, isExact },
    (piece) => pieces.push(Buffer.from(piece)),
    () => Promise.resolve(),
  );
  return { diff: Buffer.concat(pieces).toString(), found };
}

Deno.test("any diff, applied to the old text, gives the new one, and its counts are right", async () => {
  using temporary = temporaryStore();
  const text = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "d", "é\n", "\r\n", " x\n"), { maxLength: 30 })
    .map((lines) => lines.join(""));
  await fc.assert(
    fc.asyncProperty(text, text, fc.nat(4), async (before, after, contextLines) => {
      const { diff, found } = await diffOf(temporary.store, before, after, contextLines);
      assertEquals(diff === "", before === after);
      if (diff !== "") assertEquals(applyPatch(before, diff, { autoConvertLineEndings: false }), after);
      const count = (sign: string) =>
        diff.split("\n").slice(2).filter((line) => line.startsWith(sign)).length;
      assertEquals([found.hunkCount, found.addedCount, found.removedCount], [
        count("@@"),
        count("+"),
        count("-"),
      ]);
    }),
    { numRuns: 80 },
  );
});

Deno.test("hunks far apart, which are found by the index, are right too", async () => {
  using temporary = temporaryStore();
  const lines = Array.from({ length: 60_000 }, (_, line) => `line ${line}\n`);
  const after = lines.with(100, "").with(30_000, "changed\n").with(59_999, "end");
  const { diff, found } = await diffOf(temporary.store, lines.join(""), after.join(""), 1);
  const { hunkCount, addedCount, removedCount, isCoarse } = found;
  assertEquals([hunkCount, addedCount, removedCount, isCoarse], [3, 2, 3, false]);
  assertEquals(applyPatch(lines.join(""), diff), after.join(""));
});

Deno.test("a removed end far from the change before it is shown if the other side has ended", async () => {
  using temporary = temporaryStore();
  const lines = Array.from({ length: 30_000 }, (_, line) => `line ${line}\n`);
  const after = lines.slice(2, 20_000);
  const { diff, found } = await diffOf(temporary.store, lines.join(""), after.join(""), 3);
  const { hunkCount, addedCount, removedCount, isCoarse } = found;
  assertEquals([hunkCount, addedCount, removedCount, isCoarse], [2, 0, 10_002, false]);
  assertEquals(applyPatch(lines.join(""), diff), after.join(""));
  // In the other direction, the old side ends.
  const added = await diffOf(temporary.store, after.join(""), lines.join(""), 0);
  assertEquals(applyPatch(after.join(""), added.diff), lines.join(""));
});

Deno.test("colour, redrawn lines and CRLF are no difference unless it is exact", async () => {
  using temporary = temporaryStore();
  const plain = Array.from({ length: 20_000 }, (_, line) => `line ${line}`);
  const coloured = plain.map((line) => `\x1b[32m${line.slice(0, 2)}\x1b[0m${line.slice(2)}\r`);
  coloured[5] = "old\rline 5";
  const changed = coloured.with(19_000, "\x1b[31mchanged\x1b[0m");
  const diff = async (after: string[], isExact: boolean) =>
    await diffOf(temporary.store, plain.join("\n"), after.join("\n"), 0, isExact);

  const same = await diff(coloured, false);
  assertEquals([same.diff, same.found.hasSameBytes], ["", false]);
  const other = await diff(changed, false);
  const hunk = "@@ -19001 +19001 @@\n-line 19000\n+changed\n";
  assertEquals(other.diff.slice(other.diff.indexOf("@@")), hunk);
  assertEquals((await diff(coloured, true)).found.addedCount, 20_000);
});

Deno.test("lines that differ only in times, addresses or ids are counted, and are not in the diff", async () => {
  using temporary = temporaryStore();
  const { store } = temporary;
  const line = fc.tuple(fc.constantFrom("start", "stop", "error"), fc.nat(2));
  const ignored: Ignored = { ...NOTHING_IGNORED, ...VOLATILE };
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 30 }),
      fc.array(fc.nat(9), { minLength: 1 }),
      async (lines, at) => {
        const before = lines.map(([word, time]) => `12:00:0${time} ${word}\n`);
        const after = lines.map(([word], index) => `12:00:0${at[index % at.length]} ${word}\n`);
        // Before a line that differs in a word, so that equal lines are compared, too.
        const [old, made] = [[...before, "a\n"], [...after, "b\n"]]
          .map((some) => putBytes(store, Buffer.from(some.join("")), { source: "test" }));
        let diff = "";
        const comparison = { contextLines: 0, ignored, isExact: true, countsDisguised: true };
        const write = (piece: Uint8Array) => void (diff += Buffer.from(piece).toString());
        const found = await compareFds(store, old!, made!, comparison, write, () => Promise.resolve());
        assertEquals(diff.split("\n").slice(3), ["-a", "+b", ""]);
        assertEquals(found.disguisedCount, before.filter((text, index) => text !== after[index]).length);
      },
    ),
    { numRuns: 40 },
  );
});
