// Promise: search shows the lines that grep shows, within bounds, and reports what it leaves out.

import { deepStrictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { putBytes, searchFd, type Store } from "../../../fd/mod.ts";
import { temporaryStore } from "../../../tests/temporary_store.ts";
import { type MatchView, MAX_LINE_BYTES, mostHitsViewed, viewMatches } from "./view_lines.ts";
import type { Search } from "./search.ts";

/** Bounds of a view. */
interface Limits {
  beforeLines: number;
  afterLines: number;
  matches: number;
  chars: number;
  exact?: boolean;
}

const wide: Limits = { beforeLines: 0, afterLines: 0, matches: Infinity, chars: Infinity };

function searchWithin(limits: Limits, search: Pick<Search, "store" | "entry">, pattern = "hit"): Search {
  const { beforeLines: before, afterLines: after, matches, chars, exact } = limits;
  return {
    ...search,
    request: { pattern, before, after, exact },
    most: { matches, chars },
    sought: { pattern },
  };
}

async function view(
  store: Store,
  text: string,
  pattern: string,
  limits: Partial<Limits>,
): Promise<MatchView> {
  const entry = putBytes(store, Buffer.from(text), { source: "test" });
  const { hits } = await searchFd(store, entry, { pattern, keep: (limits.matches ?? 1e9) + 1 });
  return viewMatches(searchWithin({ ...wide, ...limits }, { store, entry }, pattern), hits);
}

Deno.test("matches and their context, overlaps and all, are those of grep -n -A -B -m", async () => {
  using temporary = temporaryStore();
  const { store } = temporary;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("hit", "other", "", "a hit b\r"), { minLength: 1, maxLength: 40 }),
      fc.nat(4),
      fc.nat(4),
      fc.integer({ min: 1, max: 10 }),
      fc.boolean(),
      async (texts, beforeLines, afterLines, matches, isExact) => {
        const found = await view(store, texts.join("\n"), "hit", {
          beforeLines,
          afterLines,
          matches,
          exact: isExact,
        });
        // A final line end opens no line.
        const stored = texts.at(-1) === "" ? texts.slice(0, -1) : texts;
        const lines = stored.map((text) => isExact ? text : text.replace(/\r$/, ""));
        const all = lines.flatMap((text, index) => text.includes("hit") ? [index] : []);
        const shown = all.slice(0, matches);
        const nextHit = all[shown.length] ?? lines.length;
        const expected = lines.flatMap((text, index) => {
          if (shown.includes(index)) return [`${index + 1}:${text}`];
          const isNear = shown.some((hit) => index >= hit - beforeLines && index <= hit + afterLines);
          return isNear && index < nextHit ? [`${index + 1}-${text}`] : [];
        });
        deepStrictEqual(
          found.lines.map(({ line, text, context }) => `${line}${context === true ? "-" : ":"}${text}`),
          expected,
        );
        deepStrictEqual(found.shownHits, shown.length);
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("a long line is shown around its match, cut between chars, and says how much is missing", async () => {
  using temporary = temporaryStore();
  const { store } = temporary;
  const text = `€${"€".repeat(4000)}needle${"€".repeat(4000)}\n`;
  const { lines } = await view(store, `before\n${text}after\n`, "needle", { beforeLines: 1, afterLines: 1 });
  const shown = lines[1]!;
  deepStrictEqual(lines.map(({ line }) => line), [1, 2, 3]);
  deepStrictEqual(/^€+needle€+$/.test(shown.text), true);
  const shownBytes = Buffer.byteLength(shown.text);
  deepStrictEqual(shownBytes > MAX_LINE_BYTES - 8 && shownBytes <= MAX_LINE_BYTES, true);
  deepStrictEqual(
    shown.cut_before! + shownBytes + shown.cut_after!,
    Buffer.byteLength(text) - 1,
    "but for the LF",
  );
});

Deno.test("lines are shown alike whether or not their neighbours are too long to be read with them", async () => {
  using temporary = temporaryStore();
  const { store } = temporary;
  const text = `one\n${"x".repeat(400_000)}\nhit\n${"y".repeat(400_000)}\nfive\n`;
  const { lines } = await view(store, text, "hit", { beforeLines: 2, afterLines: 2 });
  deepStrictEqual(
    lines.map(({ line, text, cut_after }) => [line, text.slice(0, 4), cut_after]),
    [
      [1, "one", undefined],
      [2, "xxxx", 398_000],
      [3, "hit", undefined],
      [4, "yyyy", 398_000],
      [5, "five", undefined],
    ],
  );
});

Deno.test("chars bound the view, but the first match is always shown, with the nearest of its context", async () => {
  using temporary = temporaryStore();
  const { store } = temporary;
  const text = Array.from({ length: 9 }, (_, index) => index === 4 ? "hit" : `line ${index + 1}`).join("\n");
  const one = await view(store, text, "hit", { beforeLines: 4, afterLines: 4, chars: 1 });
  deepStrictEqual(one.lines.map(({ line }) => line), [5]);
  const three = await view(store, text, "hit", { beforeLines: 4, afterLines: 4, chars: 30 });
  deepStrictEqual(three.lines.map(({ line }) => line), [4, 5, 6]);
  const some = await view(store, "hit\n".repeat(10), "hit", { chars: 12 });
  deepStrictEqual(some.shownHits, 2);
});

Deno.test("a line that is shown whole is not reported as cut because of its LF", async () => {
  for (const [byteLength, cutAfter] of [[MAX_LINE_BYTES, undefined], [MAX_LINE_BYTES + 1, 1]] as const) {
    for (const end of ["", "\n", "\nafter\n"]) {
      using temporary = temporaryStore();
      const { lines } = await view(temporary.store, "x".repeat(byteLength) + end, "x", {
        beforeLines: 0,
        afterLines: 0,
      });
      deepStrictEqual([lines[0]!.text.length, lines[0]!.cut_after], [MAX_LINE_BYTES, cutAfter]);
    }
  }
});

Deno.test("search keeps only as many hits in memory as it can show", async () => {
  using temporary = temporaryStore();
  const { store } = temporary;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("", "x", "xx x"), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 40 }),
      async (texts, chars) => {
        const entry = putBytes(store, Buffer.from(`${texts.join("\n")}\n`), { source: "test" });
        const limits = { ...wide, afterLines: 1, chars };
        const all = (await searchFd(store, entry, { pattern: "^", keep: Infinity })).hits;
        const few = all.slice(0, mostHitsViewed(limits));
        const search = searchWithin(limits, { store, entry });
        deepStrictEqual(viewMatches(search, few), viewMatches(search, all));
      },
    ),
    { numRuns: 80 },
  );
  deepStrictEqual(mostHitsViewed({ matches: 10_000_000, chars: 8000 }) < 8000, true);
});

Deno.test("in clean view a long line is shown around the match, as far as a terminal would have left it", async () => {
  using temporary = temporaryStore();
  const { store } = temporary;
  for (const length of [10_000, 400_000]) {
    const colored = "\x1b[1mé\x1b[0m".repeat(length);
    const text = `first\n${colored}needle${colored}\n10%\r50%\rlast\x07\n`;
    const entry = putBytes(store, Buffer.from(text), { source: "test" });
    const { hits } = await searchFd(store, entry, { pattern: "needle|last", clean: true, keep: 5 });
    const { lines, cleaned } = viewMatches(searchWithin(wide, { store, entry }), hits);
    const shown = lines[0]!.text;
    deepStrictEqual(shown.includes("éneedleé"), true, `${length}`);
    deepStrictEqual(/^é+needleé+$/.test(shown), true);
    deepStrictEqual(
      [lines[0]!.cut_before! + lines[0]!.cut_after! + Buffer.byteLength(shown)],
      [4 * length + 6],
      "cuts are counted in the clean line",
    );
    deepStrictEqual(lines[1], { line: 3, text: "last\\x07", cut_before: undefined, cut_after: undefined });
    deepStrictEqual(cleaned, 2 * length * 8 + 8);
  }
});
