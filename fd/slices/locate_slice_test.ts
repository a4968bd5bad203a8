import { Buffer } from "node:buffer";
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { FdError } from "../disk/errors.ts";
import { countChars } from "../bytes/utf8_chars.ts";
import { putBytes } from "../put/put_bytes.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { boundSlice, locateSlice, type SliceRequest } from "./locate_slice.ts";
import { readSlice, readWhole } from "./read_slice.ts";
import type { Store } from "../store/open_store.ts";
import { temporaryStore } from "../../tests/temporary_store.ts";

/** A simple model of the contract's units: content as a list of chars, each with its bytes. */
function model(bytes: Uint8Array, pageSize: number) {
  const chars: Uint8Array[] = [];
  // A char starts where the WHATWG decoder's code point count for a prefix grows.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const points = (to: number) => [...decoder.decode(bytes.subarray(0, to))].length;
  let start = 0;
  for (let at = 1; at <= bytes.length; at++) {
    const isStart = at === bytes.length || startsChar(bytes, at);
    if (isStart) {
      chars.push(bytes.subarray(start, at));
      start = at;
    }
  }
  assertEquals(chars.length, points(bytes.length));
  const isLineFeed = (char: Uint8Array) => char.length === 1 && char[0] === 10;
  const lines: number[] = [];
  chars.forEach((_, index) => {
    if (index === 0 || isLineFeed(chars[index - 1]!)) lines.push(index);
  });
  const pages: number[] = [0];
  for (let at = 0;;) {
    if (at + pageSize >= chars.length) break;
    let end = at + pageSize;
    for (let back = end - 1; back >= at; back--) {
      if (isLineFeed(chars[back]!)) {
        end = back + 1;
        break;
      }
    }
    pages.push(end);
    at = end;
  }
  return { chars, starts: { page: pages, line: lines, char: chars.map((_, index) => index) } };
}

/** Whether byte `at` starts a char: decoding the bytes before and from it separately gives the same chars. */
function startsChar(bytes: Uint8Array, at: number): boolean {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const count = (slice: Uint8Array) => [...decoder.decode(slice)].length;
  const from = Math.max(0, at - 8);
  // A byte that continues a char adds no code point to those before it.
  return count(bytes.subarray(from, at + 1)) > count(bytes.subarray(from, at));
}

const piece = fc.oneof(
  fc.constantFrom("\n", "\r\n", "a\n", "é", "漢字", "😀", "\u{feff}", "\0", "x".repeat(40), " ".repeat(3))
    .map((text) => new TextEncoder().encode(text)),
  fc.uint8Array({ minLength: 1, maxLength: 4 }),
  fc.constantFrom([0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf4, 0x90]).map((
    list,
  ) => new Uint8Array(list)),
);
const content = fc.array(piece, { maxLength: 60 }).map((pieces) =>
  Uint8Array.from(pieces.flatMap((each) => [...each]))
);

function readRequest(store: Store, entry: FdEntry, request: SliceRequest) {
  const slice = locateSlice(store, entry, request);
  return { slice, bytes: readWhole(readSlice(store, entry, slice)) };
}

Deno.test("every slice follows the rules of its unit, and tiling slices rejoin (law 2)", () => {
  using world = temporaryStore();
  const { store } = world;
  fc.assert(
    fc.property(content, fc.integer({ min: 1, max: 50 }), (bytes, pageSize) => {
      const entry = putBytes(store, bytes, { source: "test", pageSize });
      const { chars, starts } = model(bytes, pageSize);
      assertEquals([entry.charCount, entry.lineCount, entry.pageCount], [
        chars.length,
        starts.line.length,
        starts.page.length,
      ]);
      for (const mode of ["page", "line", "char"] as const) {
        const first = mode === "char" ? 0 : 1;
        const tiles: number[] = [];
        for (let unit = 0; unit < starts[mode].length; unit++) {
          const { slice, bytes: got } = readRequest(store, entry, { mode, start: unit + first });
          const end = starts[mode][unit + 1] ?? chars.length;
          assertEquals([...got], chars.slice(starts[mode][unit], end).flatMap((char) => [...char]));
          assertEquals(slice.truncated, slice.toByte < bytes.length && bytes[slice.toByte - 1] !== 10);
          assertEquals(slice.continued, slice.fromByte > 0 && bytes[slice.fromByte - 1] !== 10);
          tiles.push(...got);
        }
        assertEquals(tiles, [...bytes]);
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test("seeking through many blocks finds what scanning finds", () => {
  using world = temporaryStore();
  const { store } = world;
  // Several blocks and index pages; lines of many lengths, one longer than a block; chars of all widths.
  const lines = Array.from(
    { length: 3000 },
    (_, line) => `${line}:${["é", "漢", "😀", "x"][line % 4]}${"y".repeat(line % 211)}`,
  );
  lines[1500] = "z".repeat(200_000);
  const text = lines.join("\n");
  const bytes = new TextEncoder().encode(text);
  const chars = [...text];
  for (const pageSize of [100, 4000, 70_000]) {
    const entry = putBytes(store, bytes, { source: "test", pageSize });
    assertEquals([entry.charCount, entry.lineCount], [chars.length, lines.length]);
    const read = (request: SliceRequest) =>
      new TextDecoder().decode(readRequest(store, entry, request).bytes);
    for (const line of [1, 2, 777, 1500, 1501, 1502, 2999, 3000]) {
      assertEquals(read({ mode: "line", start: line }), lines[line - 1] + (line === 3000 ? "" : "\n"));
    }
    for (const start of [0, 32_767, 32_768, 100_001, chars.length - 3]) {
      assertEquals(read({ mode: "char", start, count: 3 }), chars.slice(start, start + 3).join(""));
    }
    let rejoined = "";
    for (let page = 1; page <= entry.pageCount; page += 7) {
      rejoined += read({ mode: "page", start: page, count: 7 });
    }
    assertEquals(rejoined, text);
  }
});

Deno.test("a start past the end fails with the valid range; a count is clamped; tail counts from the end", () => {
  using world = temporaryStore();
  const { store } = world;
  const entry = putBytes(store, new TextEncoder().encode("a\nb\nc"), { source: "test", pageSize: 2 });
  const failure = (request: SliceRequest) =>
    assertThrows(() => locateSlice(store, entry, request), FdError).failure;
  assertEquals(failure({ mode: "page", start: 4 }), {
    kind: "invalid_page",
    fd: "fd:1",
    page: 4,
    pageCount: 3,
  });
  const range = { kind: "invalid_range", fd: "fd:1" } as const;
  assertEquals(failure({ mode: "line", start: 4 }), { ...range, mode: "line", start: 4, first: 1, last: 3 });
  assertEquals(failure({ mode: "char", start: 5 }), { ...range, mode: "char", start: 5, first: 0, last: 4 });
  assertEquals(failure({ mode: "line", start: 0 }), { ...range, mode: "line", start: 0, first: 1, last: 3 });
  assertEquals(failure({ mode: "line", count: 0 }).kind, "invalid_parameter");
  assertEquals(failure({ mode: "line", start: 1.5 }).kind, "invalid_parameter");
  assertEquals(locateSlice(store, entry, { mode: "line", start: 2, count: 99 }).count, 2);
  const { slice, bytes } = readRequest(store, entry, { mode: "line", tail: 2 });
  assertEquals([slice.start, slice.count, new TextDecoder().decode(bytes)], [2, 2, "b\nc"]);
});

// Promise: a bound cuts at a line end, and the part and the rest together are exactly the slice.

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
