// Promise: a read of a growing fd returns what the same read returns after it ended (laws 2, 3 and 10): whole chars,
// right line and page numbers, an incomplete last line, and cursors that tile. Only the end is scanned.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { anyContent, anyPageSize, joined, PATTERNS, repeatedTo } from "../../tests/contents.ts";
import { temporaryStore } from "../../tests/temporary_store.ts";
import type { BlockEntry } from "./block_entries.ts";
import { disk } from "../disk/disk.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { findFd } from "../records/find_fd.ts";
import { cursorAt, locateIn, type Slice, type SliceRequest } from "../slices/locate_slice.ts";
import { openContent } from "../slices/open_content.ts";
import type { Store } from "../store/open_store.ts";
import { beginPut } from "../put/put.ts";
import { putBytes } from "../put/put_bytes.ts";
import { readIn, readWhole } from "../slices/read_slice.ts";
import { indexPath } from "../store/store_paths.ts";

/** Returns the end of the chars that a streaming decoder outputs for `bytes`; only the last few bytes decide it. */
function wholeChars(whole: Uint8Array): number {
  const bytes = whole.subarray(-16);
  const decoded = (end: number, stream: boolean) =>
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, end), { stream });
  const given = decoded(bytes.length, true);
  const heldBack = [0, 1, 2, 3].find((count) => decoded(bytes.length - count, false) === given);
  assert(heldBack !== undefined);
  return whole.length - heldBack;
}

function sliceAndBytes(store: Store, entry: FdEntry, request: SliceRequest): [Slice, Uint8Array] {
  const content = openContent(store, entry);
  try {
    const slice = locateIn(content, request);
    return [slice, readWhole(readIn(store, content, slice))];
  } finally {
    content.close();
  }
}

function entriesOf(store: Store, entry: FdEntry): BlockEntry[] {
  const content = openContent(store, entry);
  try {
    return Array.from({ length: content.index.blockCount }, (_, block) => content.index.at(block));
  } finally {
    content.close();
  }
}

/** Asserts that a live fd reads like the same bytes sealed, except for the incomplete last line. */
function assertSeenAs(store: Store, live: FdEntry, arrived: Uint8Array, requests: SliceRequest[]): void {
  const whole = arrived.subarray(0, wholeChars(arrived));
  const sealed = putBytes(store, whole, { source: "model", pageSize: live.pageSize });
  const counts = ({ byteCount, charCount, lineCount, pageCount, lineFeedCount }: FdEntry) => [
    byteCount,
    charCount,
    lineCount,
    pageCount,
    lineFeedCount,
  ];
  assertEquals([live.state, counts(live)], ["live", counts(sealed)]);
  const perhapsSum = (entries: BlockEntry[]) => sealed.byteCount > 32_768 ? entries : entries.slice(1);
  assertEquals(perhapsSum(entriesOf(store, live)), perhapsSum(entriesOf(store, sealed)));
  const endsOpen = whole.length > 0 && whole.at(-1) !== 0x0a;
  for (const request of requests) {
    const [seen, seenBytes] = sliceAndBytes(store, live, request);
    const [wanted, wantedBytes] = sliceAndBytes(store, sealed, request);
    const truncated = wanted.truncated || (endsOpen && wanted.atEnd && wanted.toByte > wanted.fromByte);
    assertEquals([seen, seenBytes], [{ ...wanted, truncated }, wantedBytes]);
  }
}

/** Pieces after which the rest of the content comes at once. */
const MAX_TURNS = 24;

Deno.test("live: at every moment a reader sees the whole chars so far, with their final numbers", () => {
  fc.assert(
    fc.property(
      anyContent,
      anyPageSize,
      fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 6 }),
      fc.nat(),
      (content, pageSize, cuts, at) => {
        using world = temporaryStore();
        const { store } = world;
        const put = beginPut(store, { source: "test", pageSize });
        let arrived = 0;
        let cursor = 0;
        const read: Uint8Array[] = [];
        for (let turn = 0; arrived < content.length; turn++) {
          // Thousands of small pieces take minutes.
          const cut = turn < MAX_TURNS ? cuts[turn % cuts.length]! : Infinity;
          const to = Math.min(content.length, arrived + cut);
          put.write(content.subarray(arrived, to));
          arrived = to;
          const live = findFd(store, "fd:1");
          const requests: SliceRequest[] = [{ all: true }, { since: cursor }, { mode: "page", tail: 2 }];
          if (live.charCount > 0) {
            requests.push(
              { mode: "line", start: at % live.lineCount + 1, count: 3 },
              { mode: "page", start: at % live.pageCount + 1 },
              { mode: "char", start: at % live.charCount, count: 100 },
              { mode: "line", tail: 1 },
            );
          }
          const [news, bytes] = sliceAndBytes(store, live, { since: cursor });
          assertSeenAs(store, live, content.subarray(0, arrived), requests);
          read.push(bytes);
          cursor = cursorAt(live, news.toByte);
        }
        const sealed = put.seal();
        const [, rest] = sliceAndBytes(store, sealed, { since: cursor });
        // Law 2 for cursors: whenever it was read, the answers add up to the content.
        assertEquals(joined([...read, rest]), Uint8Array.from(content));
      },
    ),
    { numRuns: 25 },
  );
});

Deno.test("live: the bytes of a page do not change once another page follows", () => {
  fc.assert(
    fc.property(anyContent, anyPageSize, fc.integer({ min: 0, max: 100 }), (content, pageSize, percent) => {
      using world = temporaryStore();
      const { store } = world;
      const put = beginPut(store, { source: "test", pageSize });
      put.write(content.subarray(0, Math.floor(content.length * percent / 100)));
      const live = findFd(store, "fd:1");
      const pages = Math.min(live.pageCount - 1, 20);
      const seen = Array.from(
        { length: pages },
        (_, page) => sliceAndBytes(store, live, { mode: "page", start: page + 1 }),
      );
      put.write(content.subarray(live.arrived?.fileBytes ?? 0));
      const sealed = put.seal();
      seen.forEach(([slice, bytes], page) => {
        const [later, laterBytes] = sliceAndBytes(store, sealed, { mode: "page", start: page + 1 });
        assertEquals([later.fromByte, later.toByte, laterBytes], [slice.fromByte, slice.toByte, bytes]);
      });
    }),
    { numRuns: 20 },
  );
});

const MIB = 1024 * 1024;

function bytesReadBy(act: () => void): number {
  const { read } = disk;
  let count = 0;
  disk.read = ((...args: Parameters<typeof read>) => {
    const got = read(...args);
    count += got;
    return got;
  }) as typeof read;
  try {
    act();
  } finally {
    disk.read = read;
  }
  return count;
}

for (const [name, pattern] of Object.entries(PATTERNS)) {
  Deno.test(`live: scanning large content of ${name} continues from the end of the index, whatever the page size`, () => {
    // More than one index page describes (4,064 KiB), in writes that match no boundary.
    const content = repeatedTo(Math.floor(5.3 * MIB), pattern);
    for (const pageSize of [70, 4000, 700_000]) {
      using world = temporaryStore();
      const { store } = world;
      const put = beginPut(store, { source: "test", pageSize });
      const moments = [3.97, 5.3].map((mib) => Math.floor(mib * MIB));
      for (let at = 0; at < content.length;) {
        const to = Math.min(content.length, at + 61_001);
        put.write(content.subarray(at, to));
        at = to;
        if (at >= (moments[0] ?? Infinity)) {
          moments.shift();
          const readBytes = bytesReadBy(() => void findFd(store, "fd:1"));
          assert(readBytes < 700 * 1024 + 8 * pageSize, `${readBytes} bytes for the last of ${at}`);
          const line = { mode: "line", tail: 2 } as const;
          assertSeenAs(store, findFd(store, "fd:1"), content.subarray(0, at), [line, {
            mode: "page",
            tail: 1,
          }]);
        }
      }
      put.seal();
    }
  });
}

Deno.test("live: reading the end of large content reads a few hundred KiB", () => {
  using world = temporaryStore();
  const { store } = world;
  const piece = repeatedTo(65_536, PATTERNS["log lines"]!);
  const put = beginPut(store, { source: "test" });
  const most: number[] = [];
  for (let count = 0; count < 40 * 16; count++) {
    put.write(piece);
    if (count % 97 !== 0) continue;
    most.push(bytesReadBy(() => {
      sliceAndBytes(store, findFd(store, "fd:1"), { mode: "line", tail: 5 });
    }));
  }
  assert(Math.max(...most) < 900 * 1024, `${most}`);
  assertEquals(put.seal().byteCount, 40 * 16 * 65_536);
});

Deno.test("live: an index that is truncated, missing or of other content costs a scan, but gives no wrong answer", () => {
  const content = repeatedTo(3 * MIB, PATTERNS["CJK"]!);
  const damages: ((path: string) => void)[] = [
    (path) => Deno.removeSync(path),
    (path) => Deno.truncateSync(path, 500),
    (path) => Deno.writeFileSync(path, Deno.readFileSync(path).fill(7, 40, 60)),
    (path) => Deno.copyFileSync(path.replace("1.idx", "2.idx"), path),
  ];
  for (const damage of damages) {
    using world = temporaryStore();
    const { store } = world;
    const put = beginPut(store, { source: "test" });
    put.write(content);
    putBytes(store, repeatedTo(3 * MIB, PATTERNS["emoji"]!), { source: "other" });
    damage(indexPath(store.path, 1));
    assertSeenAs(store, findFd(store, "fd:1"), content, [{ mode: "line", tail: 3 }, {
      mode: "page",
      start: 9,
    }]);
    put.seal();
  }
});

Deno.test("live: a cursor stays valid if a size limit drops content before it, and returns no byte twice", () => {
  fc.assert(
    fc.property(anyContent, fc.integer({ min: 2, max: 2000 }), fc.nat(), (content, maxBytes, at) => {
      using world = temporaryStore();
      const { store } = world;
      const put = beginPut(store, { source: "test", maxBytes });
      put.write(content.subarray(0, at % (content.length + 1)));
      const live = findFd(store, "fd:1");
      const cursor = cursorAt(live, live.byteCount);
      put.write(content.subarray(at % (content.length + 1)));
      const sealed = put.seal();
      const [, news] = sliceAndBytes(store, sealed, { since: cursor });
      const { gap } = sealed;
      const tailStart = gap === undefined ? 0 : gap.atByte + gap.droppedBytes;
      const wanted = gap === undefined || cursor <= gap.atByte
        ? joined([
          content.subarray(cursor, gap?.atByte),
          gap === undefined ? Uint8Array.of() : content.subarray(tailStart),
        ])
        : content.subarray(Math.max(cursor, tailStart));
      // If head and tail were joined within a char, that char is returned whole: up to 3 bytes of the head.
      assertEquals(news.slice(news.length - wanted.length), Uint8Array.from(wanted));
      assert(news.length - wanted.length <= 3);
      assertEquals(cursorAt(sealed, sealed.byteCount), content.length);
    }),
    {
      numRuns: 80,
      // The head ends in three bytes of a char, and the tail starts with a possible fourth.
      examples: [[Uint8Array.of(0xf0, 0x9f, 0x98, 0xe6, 0xbc, 0xa2, 0x61, 0x61, 0x96, 0x87), 5, 4]],
    },
  );
});
