// Promise: `search --only-matching` shows the matches, and each start is the one that `read --mode char` takes.

import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { locateSlice, putBytes, readSlice, readWhole, searchFd, type Store } from "../../../fd/mod.ts";
import { temporaryStore } from "../../../tests/temporary_store.ts";
import type { SearchRequest } from "../../calls/requests/search_request.ts";
import { type SpanView, viewSpans } from "./view_spans.ts";
import { matchingOf } from "./search.ts";

async function view(
  store: Store,
  text: string,
  request: Partial<SearchRequest>,
  limits = { matches: Infinity, chars: Infinity },
) {
  const entry = putBytes(store, Buffer.from(text), { source: "test" });
  const asked = { pattern: "", ...request };
  const { hits } = await searchFd(store, entry, { ...matchingOf(asked), keep: 1e9 });
  return {
    entry,
    ...viewSpans(
      { store, entry, request: asked, most: limits, sought: asked },
      hits,
    ),
  };
}

function charsAt(
  store: Store,
  entry: Awaited<ReturnType<typeof view>>["entry"],
  start: number,
  count: number,
) {
  const slice = locateSlice(store, entry, { mode: "char", start, count });
  return Buffer.from(readWhole(readSlice(store, entry, slice))).toString();
}

const texts = ({ lines }: SpanView) => lines.map(({ line, text }) => `${line}:${text}`);

Deno.test("reading from each start gives the match, as stored or in clean view", async () => {
  using temporary = temporaryStore();
  const { store } = temporary;
  const part = fc.constantFrom("hit", "é", " ", "x".repeat(150), "\x1b[1m", "😀", "\n", "hi", "\xff");
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 30 }), fc.boolean(), async (parts, isExact) => {
      const text = parts.join("");
      const { entry, lines, shownHits } = await view(store, text, { pattern: "h(it|i)|é+", exact: isExact });
      const shown = isExact ? text : text.replaceAll("\x1b[1m", "");
      const expected = shown.split("\n").flatMap((line, at) =>
        [...line.matchAll(/h(it|i)|é+/gu)].map(([match]) => `${at + 1}:${match}`)
      );
      assertEquals(texts({ lines, shownHits, openLine: undefined, unshown: undefined }), expected);
      for (const { start, text: match, shifted } of lines) {
        if (shifted === true) continue;
        assertEquals(charsAt(store, entry, start!, [...match].length), match);
      }
      assertEquals(lines.some(({ shifted }) => shifted === true) && isExact, false);
    }),
    { numRuns: 80 },
  );
});

Deno.test("starts are exact anywhere in a giant line, and the text around a match is the line's", async () => {
  using temporary = temporaryStore();
  const { store } = temporary;
  const text = `first\n${
    Array.from({ length: 40 }, (_, at) => `${"é".repeat(20_011)}<${at}>`).join("")
  }\nlast <1>\n`;
  const { entry, lines } = await view(store, text, { pattern: "<\\d+>" });
  assertEquals(lines.length, 41);
  for (const [at, { start, text: match, before, after }] of lines.entries()) {
    assertEquals(match, at === 40 ? "<1>" : `<${at}>`);
    assertEquals(charsAt(store, entry, start!, match.length), match);
    if (at < 40) assertEquals(before, `…${"é".repeat(30)}`);
    if (at < 39) assertEquals(after, `${"é".repeat(30)}…`);
  }
  assertEquals([lines[39]!.after, lines[40]!.before], ["", undefined]);
});

Deno.test("a view ends within a line at its limits, and says in which", async () => {
  using temporary = temporaryStore();
  const { store } = temporary;
  const text = `a a a\n${"a ".repeat(300_000)}\n`;
  const few = await view(store, text, { pattern: "a" }, { matches: 5, chars: Infinity });
  assertEquals([few.lines.length, few.shownHits, few.openLine], [5, 1, 2]);
  const whole = await view(store, text, { pattern: "a" }, { matches: 3, chars: Infinity });
  assertEquals([whole.lines.length, whole.shownHits, whole.openLine], [3, 1, undefined]);
  const short = await view(store, "x".repeat(5000), { pattern: "x+" }, { matches: 9, chars: 100 });
  assertEquals([short.lines[0]!.text.length, short.lines[0]!.cut_after], [100, 4900]);
  assert((await view(store, text, { pattern: "b*" })).lines.length === 0);
});
