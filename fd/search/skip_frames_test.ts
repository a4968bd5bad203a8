// Promise: a search of packed content finds exactly what one of the plain content finds, and unpacks no frame that its
// filter rules out; filters that are missing or damaged only make it slower.

import { assertEquals, assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { putSlowly, type TemporaryStore, temporaryStore } from "../../tests/temporary_store.ts";
import { FdError } from "../disk/errors.ts";
import { packFds } from "../packing/pack_store.ts";
import {
  decodeSeekTable,
  encodeSeekTable,
  entryOfFilter,
  entryOfFrame,
  FRAME_BYTES,
  frameCountOf,
  type FramePlace,
  longestTable,
  tableIn,
} from "../packs/seek_table.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { findFd } from "../records/find_fd.ts";
import { listFds } from "../records/list_fds.ts";
import { readSlice, readWhole } from "../slices/read_slice.ts";
import type { Store } from "../store/open_store.ts";
import { packPath } from "../store/store_paths.ts";
import { checkStore } from "../upkeep/check_store.ts";
import { type MatchRequest } from "./match_lines.ts";
import { searchFd } from "./search_fd.ts";

const FRAMES = 9;

const LETTERS = new Uint8Array(103 * FRAME_BYTES);
for (let at = 0, state = 7; at < LETTERS.length; at++) {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  LETTERS[at] = 97 + (state >>> 24) % 4;
}

/** Text without the words that the tests look for. */
function filler(byteCount: number, lineBytes: number): Uint8Array {
  const bytes = LETTERS.slice(0, byteCount);
  for (let at = lineBytes - 1; at < byteCount; at += lineBytes) bytes[at] = 10;
  return bytes;
}

/** A store with packed content in fd:1. */
async function packedWorld(content: Uint8Array): Promise<TemporaryStore> {
  const world = temporaryStore();
  putSlowly(world.store, content, { source: "test" });
  assertEquals((await packFds(world.store, listFds(world.store), { nowMs: 0 })).packedCount, 1);
  return world;
}

function contentOf(store: Store, entry: FdEntry): Uint8Array {
  return readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }));
}

/** Searches `entry`; returns the matches, and the bytes that it stored. */
async function foundIn(store: Store, entry: FdEntry, request: Omit<MatchRequest, "extract">) {
  const lines: number[] = [];
  const { extracted, ...found } = await searchFd(store, entry, {
    ...request,
    onLine: (fromByte) => lines.push(fromByte),
    extract: { source: "extract" },
  });
  return {
    ...found,
    lines,
    extracted: extracted && Buffer.from(contentOf(store, extracted)).toString("latin1"),
  };
}

const WORDS = [
  "needle",
  "NEEDLE",
  "né\u00e9dle",
  "\u017feek",
  "seek",
  "kelvin",
  "\u212aelvin",
  "\u{1f600}rare",
];
const CONTROLLED = [
  "nee\x1b[1mdle",
  "xx\rneedle",
  "neex\bdle",
  "needle\r",
  "\x1b]0;t\x07needle",
  "nee\0dle",
  "\xc2",
];

/** A place and a text to write there over filler: near the borders of frames and blocks, and anywhere. */
const insertion = fc.record({
  at: fc.oneof(
    fc.tuple(fc.integer({ min: 1, max: FRAMES }), fc.integer({ min: -12, max: 2 })).map(([frame, offset]) =>
      frame * FRAME_BYTES + offset
    ),
    fc.nat({ max: FRAMES * FRAME_BYTES }),
  ),
  text: fc.oneof(fc.constantFrom(...WORDS), fc.constantFrom(...CONTROLLED), fc.constant("\n")),
  isLatin1: fc.boolean(),
});

const request = fc.record({
  pattern: fc.oneof(
    fc.constantFrom(
      ...WORDS,
      "nee.?dle",
      "^needle",
      "needle$",
      "x{3}|needle",
      "nothing",
      "dle\\b",
      "need\\x1b",
      "\\w{9}",
    ),
    fc.constantFrom<string[]>(["needle", "seek"], ["kelvin"], ["abcd", "needle"], ["ab", "needle"]),
  ),
  fixed: fc.boolean(),
  ignoreCase: fc.boolean(),
  word: fc.boolean(),
  clean: fc.boolean(),
  invert: fc.boolean(),
  shapes: fc.boolean(),
  keep: fc.constantFrom(0, 3, 1000),
  stopAfter: fc.constantFrom(undefined, 1, 4),
});

Deno.test("a search of packed content gives what one of the plain content gives, whatever is in it", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(insertion, { maxLength: 12 }),
      fc.constantFrom(80, 1000, 150_000, 400_000, 2_000_000),
      fc.nat({ max: 5 }),
      fc.array(request, { minLength: 8, maxLength: 8 }),
      async (insertions, lineBytes, lessBytes, requests) => {
        const content = filler(FRAMES * FRAME_BYTES - lessBytes * 100, lineBytes);
        for (const { at, text, isLatin1 } of insertions) {
          const bytes = Buffer.from(text, isLatin1 ? "latin1" : "utf8");
          if (at + bytes.length <= content.length) content.set(bytes, at);
        }
        using world = temporaryStore();
        const { store } = world;
        const entry = putSlowly(store, content, { source: "test" });
        const plain: unknown[] = [];
        for (const each of requests) plain.push(await foundIn(store, entry, each));
        await packFds(store, [entry], { nowMs: 0 });
        for (const [index, each] of requests.entries()) {
          assertEquals(await foundIn(store, entry, each), plain[index], JSON.stringify(each));
        }
      },
    ),
    { numRuns: 10 },
  );
});

/** Changes fd:1's packed file; `places` are those of its frames and filters. */
function changePack(
  store: Store,
  change: (bytes: Uint8Array, at: { frames: FramePlace[]; filters: FramePlace[] }) => void,
): void {
  const path = packPath(store.path, 1);
  const bytes = Deno.readFileSync(path);
  const { byteCount } = findFd(store, "1");
  const table = tableIn(bytes.subarray(-longestTable(byteCount)), byteCount);
  const places = decodeSeekTable(table, byteCount, bytes.length)!;
  const frameCount = frameCountOf(byteCount);
  change(bytes, {
    frames: Array.from(
      { length: frameCount },
      (_, frame) => places.at(entryOfFrame(frame, places.filterCount))!,
    ),
    filters: Array.from(
      { length: places.filterCount },
      (_, group) => places.at(entryOfFilter(group, frameCount))!,
    ),
  });
  Deno.writeFileSync(path, bytes);
}

const NEEDLE = Buffer.from("needle");

for (const lineBytes of [80, 1500]) {
  Deno.test(`a match beside the border of two frames is found, in lines of ${lineBytes} bytes`, async () => {
    // From where the line across a border starts to where it ends; each border has two frames of its own.
    const step = lineBytes / 15;
    const offsets = Array.from({ length: 50 }, (_, n) => n < 20 ? n - 10 : Math.floor((n - 35) * step));
    const content = filler((offsets.length * 2 + 3) * FRAME_BYTES, lineBytes);
    for (const [index, offset] of offsets.entries()) {
      content.set(NEEDLE, (index * 2 + 2) * FRAME_BYTES + offset);
    }
    using world = temporaryStore();
    const { store } = world;
    const entry = putSlowly(store, content, { source: "test" });
    const requests = ["needle", "^[a-d]*needle", "needle[a-d]{0,20}", "needle[a-d]*$"].map((pattern) => ({
      pattern,
      keep: 1000,
      clean: true,
    }));
    const plain: unknown[] = [];
    for (const each of requests) plain.push(await foundIn(store, entry, each));
    await packFds(store, [entry], { nowMs: 0 });
    for (const [index, each] of requests.entries()) {
      const found = await foundIn(store, entry, each);
      assertEquals(found, plain[index], each.pattern);
      if (index === 0) assertEquals(found.total, offsets.length);
    }
  });
}

Deno.test("frames whose filter rules them out are not unpacked", async () => {
  const content = filler(73 * FRAME_BYTES, 80);
  content.set(NEEDLE, 66 * FRAME_BYTES + 500);
  using world = await packedWorld(content);
  const { store } = world;
  const entry = findFd(store, "1");
  changePack(store, (bytes, { frames }) => {
    for (const [frame, { fromByte, toByte }] of frames.entries()) {
      if (frame !== 66) bytes.fill(0, fromByte + 20, toByte);
    }
  });
  const { total, hits } = await searchFd(store, entry, { pattern: "needle", keep: 9, clean: true });
  assertEquals([total, hits.map(({ hitByte }) => hitByte)], [1, [66 * FRAME_BYTES + 500]]);
  assertEquals((await searchFd(store, entry, { pattern: "no such text", keep: 9, clean: true })).total, 0);
  for (const pattern of ["abc", "ne", "(abc)?"]) {
    await assertRejects(() => searchFd(store, entry, { pattern, keep: 9, clean: true }), FdError);
  }
  await assertRejects(() => searchFd(store, entry, { pattern: "needle", invert: true, keep: 9 }), FdError);
});

Deno.test("a filter with any byte changed is named by verify, and its frames are searched", async () => {
  const content = filler(9 * FRAME_BYTES, 80);
  content.set(NEEDLE, 4 * FRAME_BYTES + 500);
  using world = await packedWorld(content);
  const { store } = world;
  const path = packPath(store.path, 1);
  const packed = Deno.readFileSync(path);
  const entry = findFd(store, "1");
  let filter: FramePlace | undefined;
  changePack(store, (_, { filters }) => filter = filters[0]);
  const { fromByte, toByte } = filter!;
  const step = Math.ceil((toByte - fromByte) / 20);
  for (let at = fromByte; at < toByte; at += at < fromByte + 40 ? 1 : step) {
    const bytes = packed.slice();
    bytes[at]! ^= 1 << at % 8;
    Deno.writeFileSync(path, bytes);
    const { total } = await searchFd(store, entry, { pattern: "needle", keep: 9, clean: true });
    const { findings } = await checkStore(store, { repair: false });
    assertEquals([total, findings.map(({ problem }) => problem)], [1, ["filter_damaged"]], `byte ${at}`);
  }
  Deno.writeFileSync(path, packed);
  assertEquals((await checkStore(store, { repair: false })).findings, []);
});

Deno.test("the filter of another content of the same length is not used", async () => {
  using world = await packedWorld(filler(9 * FRAME_BYTES, 80));
  const { store } = world;
  const content = filler(9 * FRAME_BYTES, 80);
  content.set(NEEDLE, 500);
  putSlowly(store, content, { source: "test" });
  await packFds(store, listFds(store), { nowMs: 0 });
  Deno.copyFileSync(packPath(store.path, 1), packPath(store.path, 2));
  await assertRejects(() => searchFd(store, findFd(store, "2"), { pattern: "needle", keep: 9 }), FdError);
});

Deno.test("content packed without filters is searched as before", async () => {
  const content = filler(9 * FRAME_BYTES, 80);
  content.set(NEEDLE, 4 * FRAME_BYTES + 500);
  using world = await packedWorld(content);
  const { store } = world;
  let old = new Uint8Array();
  changePack(store, (bytes, { frames }) => {
    const entries = frames.map(({ fromByte, toByte }) => ({
      packedBytes: toByte - fromByte,
      plainBytes: FRAME_BYTES,
    }));
    old = Buffer.concat([bytes.subarray(0, frames.at(-1)!.toByte), encodeSeekTable(entries)]);
  });
  Deno.writeFileSync(packPath(store.path, 1), old);
  const entry = findFd(store, "1");
  assertEquals((await searchFd(store, entry, { pattern: "needle", keep: 9 })).total, 1);
  assertEquals((await searchFd(store, entry, { pattern: "no such text", keep: 9 })).total, 0);
  assertEquals((await checkStore(store, { repair: false })).findings, []);
  assertEquals(contentOf(store, entry), content);
});
