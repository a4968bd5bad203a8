import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import { joinBytes } from "../bytes/utf8_bytes.ts";
import { disk } from "../disk/disk.ts";
import { FdError } from "../disk/errors.ts";
import { beginPut, Put } from "./put.ts";
import { putBytes, putFile, putStream } from "./put_bytes.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { findFd } from "../records/find_fd.ts";
import { listFds } from "../records/list_fds.ts";
import { readSlice, readWhole } from "../slices/read_slice.ts";
import type { Store } from "../store/open_store.ts";
import { checkStore } from "../upkeep/check_store.ts";
import { failEachCall } from "../../tests/failing_disk.ts";
import { ageRecords, putSlowly, temporaryStore } from "../../tests/temporary_store.ts";

function contentOf(store: Store, entry: FdEntry): Uint8Array {
  return readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }));
}

function someBytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => at % 61 === 60 ? 10 : 32 + (at * 7) % 200);
}

Deno.test("stored content reads back unchanged, in whatever pieces it was written (law 1)", () => {
  using world = temporaryStore();
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 50_000 }), { maxLength: 6 }), (pieces) => {
      const put = beginPut(world.store, { source: "test" });
      for (const piece of pieces) put.write(piece);
      const entry = put.seal();
      assertEquals(entry.state, "sealed");
      assertEquals(contentOf(world.store, entry), Uint8Array.from(pieces.flatMap((piece) => [...piece])));
    }),
    { numRuns: 40 },
  );
});

Deno.test("beyond the cap head and tail are stored, and the gap is recorded", () => {
  using world = temporaryStore();
  const bytes = someBytes(3_000_000);
  for (const maxBytes of [1, 2, 1000, 65_536, 65_537, 1_999_999, 2_999_999, 3_000_000, 0]) {
    const entry = putBytes(world.store, bytes, { source: "test", maxBytes });
    const storedCount = maxBytes === 0 ? bytes.length : maxBytes;
    const head = Math.ceil(storedCount / 2);
    const isCut = storedCount < bytes.length;
    const tail = bytes.subarray(isCut ? bytes.length - (storedCount - head) : head);
    assertEquals(contentOf(world.store, entry), joinBytes([bytes.subarray(0, head), tail]));
    assertEquals(entry.gap, isCut ? { atByte: head, droppedBytes: bytes.length - storedCount } : undefined);
  }
});

Deno.test("a file that has the content already is moved into the store, unless that keeps less of it", async () => {
  using world = temporaryStore();
  const { store } = world;
  const bytes = someBytes(300_000);
  const written = join(world.dir, "written");
  for (const maxBytes of [0, 300_000, 299_999]) {
    writeFileSync(written, bytes, { mode: 0o644 });
    const { ino } = statSync(written);
    const put = new Put(() => ({ store, options: { source: "test", maxBytes }, written }));
    put.write(bytes);
    const entry = put.seal();
    const isMoved = maxBytes !== 299_999;
    const { ino: stored, mode, nlink } = statSync(entry.contentPath);
    assertEquals([stored === ino, existsSync(written), mode & 0o777, nlink], [isMoved, !isMoved, 0o600, 1]);
    if (isMoved) assertEquals(new Uint8Array(readFileSync(entry.contentPath)), bytes);
  }
  assertEquals((await checkStore(store, { repair: false })).findings, []);
});

Deno.test("a name keeps its binding if the new fd is incomplete", () => {
  using world = temporaryStore();
  const { store } = world;
  putBytes(store, someBytes(10), { source: "test", names: ["keep"] });
  const put = beginPut(store, { source: "test", names: ["keep"] });
  put.write(someBytes(10));
  assertEquals(put.seal({ incomplete: true }).state, "incomplete");
  assertEquals(findFd(store, "ref:keep").id, 1);
});

Deno.test("content whose record is lost never becomes another fd's (law 4)", () => {
  using world = temporaryStore();
  const { store } = world;
  putSlowly(store, someBytes(10), { source: "its own" });
  Deno.removeSync(`${store.path}/v2/fds/0000/1.rec`);
  assertEquals(putBytes(store, someBytes(20), { source: "another's" }).id, 2);
  const { source, state } = findFd(store, "fd:1");
  assertEquals([source, state], ["unknown", "incomplete"]);
});

Deno.test("a failed partial write leaves no hole before the next one", () => {
  using world = temporaryStore();
  const put = beginPut(world.store, { source: "test" });
  const { write } = disk;
  put.write(someBytes(100));
  let calls = 0;
  disk.write = ((file: number, bytes: Uint8Array) => {
    if (calls++ > 0) throw Object.assign(new Error("full"), { code: "ENOSPC" });
    return write(file, bytes, 0, 30);
  }) as typeof write;
  try {
    assertThrows(() => put.write(someBytes(70)), FdError);
  } finally {
    disk.write = write;
  }
  put.write(someBytes(50));
  assertEquals(contentOf(world.store, put.seal()), Uint8Array.from([...someBytes(100), ...someBytes(50)]));
});

Deno.test("beyond the cap, no window is copied", () => {
  using world = temporaryStore();
  const put = beginPut(world.store, { source: "test", maxBytes: 1000 });
  const { write } = disk;
  const copied: boolean[] = [];
  try {
    for (let round = 0; round < 4; round++) {
      const window = put.window();
      disk.write = ((file: number, bytes: Uint8Array, from: number, length: number) => {
        copied.push(bytes.buffer !== window.buffer);
        return write(file, bytes, from, length);
      }) as typeof write;
      put.accept(900);
    }
  } finally {
    disk.write = write;
  }
  assertEquals(copied, [false, false, false, false, false]);
  put.abandon();
});

Deno.test("an invalid page size or name is refused before an id is claimed", () => {
  using world = temporaryStore();
  for (const pageSize of [0, -1, 1.5, 16_777_217, NaN]) {
    const { failure } = assertThrows(() => beginPut(world.store, { source: "test", pageSize }), FdError);
    assertEquals(failure.kind, "invalid_parameter");
  }
  assertThrows(() => beginPut(world.store, { source: "test", names: ["../x"] }), FdError);
  assertEquals(putBytes(world.store, new Uint8Array(), { source: "test" }).id, 1);
});

Deno.test("if any disk call of a capture fails, the fd is whole, or the failure is typed and the content a prefix", async () => {
  const bytes = someBytes(200_000);
  const worlds: ReturnType<typeof temporaryStore>[] = [];
  const tried = await failEachCall({
    prepare: () => void worlds.push(temporaryStore()),
    action: () => {
      const put = beginPut(worlds.at(-1)!.store, { source: "test", durable: true, names: ["kept"] });
      put.write(bytes);
      return put.seal();
    },
    afterwards: async ({ result, thrown, hit }) => {
      using world = worlds.pop()!;
      const { store } = world;
      if (result === undefined) assert(thrown instanceof FdError, `${hit.member} ${hit.fault}: ${thrown}`);
      else assertEquals(contentOf(store, result), bytes);
      ageRecords(store);
      // This process no longer writes. The stored content must be a prefix.
      for (const entry of listFds(store)) {
        const content = contentOf(store, entry);
        assertEquals(content, bytes.subarray(0, content.length), `${hit.member} ${hit.fault}`);
      }
      assertEquals(
        (await checkStore(store, { repair: false })).findings.filter((each) =>
          each.problem !== "writer_died"
        ),
        [],
      );
    },
  });
  for (const world of worlds) world[Symbol.dispose]();
  assert(tried > 50);
});

Deno.test("an fd sealed as incomplete has the bytes and exit code so far", () => {
  using world = temporaryStore();
  const put = beginPut(world.store, { source: "test" });
  put.write(new TextEncoder().encode("before\n"));
  const entry = put.seal({ incomplete: true, exitCode: 7 });
  assertEquals([entry.state, entry.exitCode, entry.byteCount], ["incomplete", 7, 7]);
  assertEquals(findFd(world.store, "fd:1"), entry);
});

Deno.test("storing a file survives a read interrupted by a signal", () => {
  using world = temporaryStore();
  const path = join(world.dir, "f");
  const content = "line\n".repeat(40_000);
  writeFileSync(path, content);
  const real = disk.read;
  let callCount = 0;
  disk.read = ((...parameters: Parameters<typeof real>) => {
    if (callCount++ % 2 === 0) throw Object.assign(new Error("EINTR"), { code: "EINTR" });
    return real(...parameters);
  }) as typeof real;
  try {
    const entry = putFile(world.store, path, { source: "test" });
    disk.read = real;
    const stored = readWhole(readSlice(world.store, entry, { fromByte: 0, toByte: entry.byteCount }));
    assertEquals(new TextDecoder().decode(stored), content);
  } finally {
    disk.read = real;
  }
});

// Promise: an error thrown by the source is thrown on, even if the disk fails at that moment (docs/decisions.md,
// Library).

Deno.test("a source's own error is thrown on while the disk is full", async () => {
  using world = temporaryStore();
  const { write } = disk;
  let isFull = false;
  disk.write = ((...parameters: Parameters<typeof write>) => {
    if (isFull) throw Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
    return write(...parameters);
  }) as typeof write;
  async function* source(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode("what came\n");
    isFull = true;
    await Promise.resolve();
    throw new RangeError("the source broke");
  }
  try {
    await assertRejects(
      () => putStream(world.store, source(), { source: "test" }),
      RangeError,
      "the source broke",
    );
  } finally {
    disk.write = write;
  }
  assertEquals(findFd(world.store, "fd:1").byteCount, 10);
});
