// Promise: search counts, numbers and extracts exactly the lines of a naive split.

import { deepStrictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { cleanBytes } from "../clean/clean_text.ts";
import { findFd } from "../records/find_fd.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { type Matches, type MatchRequest, matchSteps } from "./match_lines.ts";
import { putBytes } from "../put/put_bytes.ts";
import type { Store } from "../store/open_store.ts";
import { readSlice, readWhole } from "../slices/read_slice.ts";
import { temporaryStore } from "../../tests/temporary_store.ts";

function contentOf(store: Store, id: number): string {
  const entry = findFd(store, String(id));
  return Buffer.from(readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }))).toString();
}

function matchLines(store: Store, entry: FdEntry, request: MatchRequest): Matches {
  const steps = matchSteps(store, entry, request);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Lines that differ in clean view. */
const CONTROLLED = ["a\x1b[31mb\x1b[0m", "€€€\rab", "ab\rxyz", "\x1b[1m", "\x07 ", "a\bab\r"];

/** Splits into lines with their LF. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

Deno.test("totals, line numbers, offsets and extracted bytes equal those of a naive search", () => {
  using temporary = temporaryStore();
  const { store } = temporary;
  const line = fc.constantFrom("ab", "", "b€", "xaby", "€", "AB", "a b\r", "€€ab", ...CONTROLLED);
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 30 }),
      fc.boolean(),
      fc.constantFrom<[string, RegExp]>(["ab", /ab/], ["€|AB", /€|AB/], [" ", / /], ["", /^/], [
        "b\\r?$",
        /b\r?$/,
      ]),
      fc.boolean(),
      fc.constantFrom(0, 1, 3, 100),
      fc.constantFrom(undefined, 1, 2, 5),
      fc.boolean(),
      (texts, endsWithLineFeed, [pattern, native], invert, keep, stopAfter, clean) => {
        const shown = (line: string) => clean ? Buffer.from(cleanBytes(Buffer.from(line))).toString() : line;
        const text = texts.join("\n") + (endsWithLineFeed ? "\n" : "");
        const wanted = linesOf(text)
          .map((each, index) => ({ each, lineNumber: index + 1 }))
          .filter(({ each }) => native.test(shown(each.replace(/\n$/, ""))) !== invert);
        const taken = wanted.slice(0, stopAfter);
        const entry = putBytes(store, Buffer.from(text), { source: "test" });
        const found = matchLines(store, entry, {
          pattern,
          clean,
          invert,
          keep,
          stopAfter,
          extract: { source: "search" },
        });
        deepStrictEqual(
          {
            total: found.total,
            isCapped: found.isCapped,
            hits: found.hits.map((hit) => ({
              lineNumber: hit.lineNumber,
              text: Buffer.from(text).subarray(hit.fromByte, hit.toByte).toString(),
            })),
            extracted: found.extracted === undefined ? undefined : contentOf(store, found.extracted.id),
          },
          {
            total: taken.length,
            isCapped: taken.length < wanted.length,
            hits: wanted.slice(0, Math.min(keep, (stopAfter ?? Infinity) + 1)).map((
              { each, lineNumber },
            ) => ({ lineNumber, text: each })),
            extracted: taken.length === 0 ? undefined : taken.map(({ each }) => each).join(""),
          },
        );
      },
    ),
    { numRuns: 120 },
  );
});

Deno.test("line numbers, char offsets and extraction are right across blocks and huge lines", () => {
  using temporary = temporaryStore();
  const { store } = temporary;
  const giant = "€".repeat(200_000);
  const filler = "some line that is not wanted\n".repeat(3000);
  const text = `${filler}hit one\n${filler}${giant}hit two${giant}\n${filler}hit three\nlast`;
  const entry = putBytes(store, Buffer.from(text), { source: "test" });
  const found = matchLines(store, entry, { pattern: "hit \\w+", keep: 10, extract: { source: "search" } });
  deepStrictEqual(found.hits.map(({ lineNumber }) => lineNumber), [3001, 6002, 9003]);
  // The match may be certain anywhere within "hit two".
  const char = text.indexOf("hit two");
  deepStrictEqual(found.hits[1]!.hitChar >= char && found.hits[1]!.hitChar < char + 7, true);
  deepStrictEqual(contentOf(store, found.extracted!.id), `hit one\n${giant}hit two${giant}\nhit three\n`);
  const others = matchLines(store, entry, {
    pattern: "hit",
    invert: true,
    keep: 1,
    extract: { source: "search" },
  });
  deepStrictEqual(others.total, 9001);
  deepStrictEqual(contentOf(store, others.extracted!.id), `${filler}${filler}${filler}last`);
});

Deno.test("in clean view, controls around block edges are seen, and clean blocks match as they are", () => {
  using temporary = temporaryStore();
  const { store } = temporary;
  const edge = 32_768;
  const control = fc.constantFrom(
    ...["\u009b31m", "\u0085", "\x1b[1m", "\x1b]0;t\x07", "ab\r", "\b", "\x1b[K", "\x07", "c", ""],
  );
  const part = fc.tuple(fc.constantFrom("a", "b", "ab", "\n", "a\n"), control).map((both) => both.join(""));
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 6 }),
      fc.array(part, { minLength: 1, maxLength: 6 }),
      fc.nat(12),
      fc.boolean(),
      fc.constantFrom<[string, RegExp]>(["ab", /ab/], ["^a", /^a/], ["b$", /b$/], ["a.?b", /a.?b/]),
      (first, second, back, isOneLine, [pattern, native]) => {
        const filler = isOneLine ? "z" : "zz\n";
        const head = filler.repeat(Math.ceil(edge / filler.length)).slice(0, edge - back);
        const middle = filler.repeat(Math.ceil(edge / filler.length)).slice(0, edge - back);
        const text = `${head}${first.join("")}${middle}${second.join("")}`;
        const wanted = linesOf(text).flatMap((line, index) =>
          native.test(Buffer.from(cleanBytes(Buffer.from(line.replace(/\n$/, "")))).toString())
            ? [index + 1]
            : []
        );
        const entry = putBytes(store, Buffer.from(text), { source: "test" });
        const found = matchLines(store, entry, { pattern, clean: true, keep: 100 });
        deepStrictEqual(found.hits.map(({ lineNumber }) => lineNumber), wanted);
      },
    ),
    { numRuns: 40 },
  );
});
