// Promise: pages and other slices show the clean view without remnants of what their edges cut, and the index knows which
// blocks have something to clean.

import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import fc from "fast-check";
import { cleanBytes } from "../clean/clean_text.ts";
import { needsCleaning } from "../clean/needs_cleaning.ts";
import { putBytes } from "../put/put_bytes.ts";
import { openStore, type Store } from "../store/open_store.ts";
import { cleanViewOf } from "./clean_view_of.ts";
import { locateIn, type SliceRequest } from "./locate_slice.ts";
import { needsCleaningIn } from "./needs_cleaning_in.ts";
import { type OpenContent, openContent } from "./open_content.ts";
import { readIn, readWhole } from "./read_slice.ts";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

async function inStore(test: (store: Store) => Promise<void>): Promise<void> {
  const directory = mkdtempSync("/tmp/fd-clean-");
  try {
    await test(openStore(directory));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

interface Shown {
  text: string;
  leftOutChars: number;
}

/** The clean views of slices, one after the other. */
async function shownOf(
  store: Store,
  bytes: Uint8Array,
  pageSize: number,
  requests?: SliceRequest[],
): Promise<Shown[]> {
  const entry = putBytes(store, bytes, { source: "test", pageSize });
  const content = openContent(store, entry);
  const pages = Array.from(
    { length: entry.pageCount },
    (_, page) => ({ mode: "page", start: page + 1 } as const),
  );
  const shown: Shown[] = [];
  for (const request of requests ?? pages) {
    const slice = locateIn(content, request);
    const view = await cleanViewOf(store, content, slice);
    const body = readWhole(view?.body ?? readIn(store, content, slice));
    if (view !== undefined) equal(view.body.byteLength, body.length);
    shown.push({ text: decoder.decode(body), leftOutChars: view?.leftOutChars ?? 0 });
  }
  content.close();
  return shown;
}

const COLOURED = [
  "a",
  "漢",
  "line\n",
  " ",
  "\t",
  "\x1b[1;31m",
  "\x1b[0m",
  "\x1b]8;;http://x\x1b\\",
  "\u009b4m",
  "\r\n",
  "\x1b(B",
];
const ANY = [...COLOURED, "\r", "\b", "\x1b", "\x1b[", "\x1b]", "\x1b[K", "\x1b[2G", "\0", "\u009d", "0;"];

function contentOf(parts: string[]): fc.Arbitrary<Uint8Array> {
  return fc.array(fc.constantFrom(...parts), { maxLength: 60 }).map((list) => encoder.encode(list.join("")));
}

Deno.test("the pages of coloured content are together the clean view of the whole, wherever they are cut", () =>
  inStore((store) =>
    fc.assert(
      fc.asyncProperty(contentOf(COLOURED), fc.integer({ min: 1, max: 12 }), async (bytes, pageSize) => {
        const pages = await shownOf(store, bytes, pageSize);
        equal(pages.map(({ text }) => text).join(""), decoder.decode(cleanBytes(bytes)));
        const [whole] = await shownOf(store, bytes, pageSize, [{ all: true }]);
        equal(pages.reduce((sum, { leftOutChars }) => sum + leftOutChars, 0), whole!.leftOutChars);
      }),
      { numRuns: 120 },
    )
  ));

Deno.test("no page of any content shows a control character", () =>
  inStore((store) =>
    fc.assert(
      fc.asyncProperty(contentOf(ANY), fc.integer({ min: 1, max: 12 }), async (bytes, pageSize) => {
        for (const { text } of await shownOf(store, bytes, pageSize)) {
          ok(!needsCleaning(encoder.encode(text)), text);
        }
      }),
      { numRuns: 120 },
    )
  ));

Deno.test("a page that begins in a redrawn line shows what it left standing itself", () =>
  inStore(async (store) => {
    const states = Array.from({ length: 30 }, (_, at) => `\rdownload ${String(at).padStart(3)} of 30`);
    const pages = await shownOf(store, encoder.encode(`${states.join("")} done\n`), 100);
    deepStrictEqual(pages.slice(1, -1).map(({ text }) => /^download +\d+ of 30$/.test(text.trim())), [
      true,
      true,
      true,
      true,
    ]);
    equal(pages.at(-1)!.text, "download  29 of 30 done\n");
  }));

Deno.test("a long slice is cleaned as it is walked, each time the same", () =>
  inStore(async (store) => {
    const line = "\x1b[32mok\x1b[0m something that was done\r\n";
    const bytes = encoder.encode(line.repeat(10_000));
    const [all] = await shownOf(store, bytes, 4000, [{ all: true }]);
    deepStrictEqual(all, { text: "ok something that was done\n".repeat(10_000), leftOutChars: 100_000 });
    const [lines] = await shownOf(store, bytes, 4000, [{ mode: "line", start: 9999, count: 2 }]);
    deepStrictEqual(lines, { text: "ok something that was done\n".repeat(2), leftOutChars: 20 });
  }));

Deno.test("blocks without a control character are known without a look at them, and others are found without an index", () =>
  inStore((store) => {
    const bytes = new Uint8Array(3 * 32_768 + 100).fill(0x61);
    // A C1 control across the border between the second and the third block.
    bytes.set([0xc2, 0x9b], 2 * 32_768 - 1);
    const content = openContent(store, putBytes(store, bytes, { source: "test" }));
    const index = {
      blockCount: 4,
      at: (block: number) => ({ ...content.index.at(block), hasControls: undefined }),
    };
    const unread: OpenContent = { ...content, block: () => ok(false, "a block was read") as never };
    const old: OpenContent = { ...content, index };
    const ranges = [[0, 65_535], [65_536, 98_304], [98_304, bytes.length], [0, bytes.length], [
      3,
      3,
    ]] as const;
    for (const [from, to] of ranges) {
      const expected = needsCleaning(bytes, bytes[from - 1] === 0xc2 ? from - 1 : from, to);
      equal(needsCleaningIn(unread, from, to), expected);
      equal(needsCleaningIn(old, from, to), expected);
    }
    content.close();
    return Promise.resolve();
  }));
