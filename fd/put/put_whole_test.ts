// Promise: an fd whose content was complete before its id was claimed is one file, there whole or not at all; whatever
// call fails or wherever its writer is killed, its id is never given to other content.

import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { withFailingCall } from "../../tests/failing_disk.ts";
import { ageRecords, putSlowly, temporaryStore } from "../../tests/temporary_store.ts";
import { disk } from "../disk/disk.ts";
import { FdError } from "../disk/errors.ts";
import { totalsOfBlock } from "../index/block_totals.ts";
import { type FdEntry, sealLine } from "../records/fd_entry.ts";
import { findFd } from "../records/find_fd.ts";
import { listFds } from "../records/list_fds.ts";
import type { ClaimLine } from "../records/record_line.ts";
import { writeObject } from "../records/object_record.ts";
import { claimFd } from "../store/claim_id.ts";
import { thisWriter } from "../store/writer_identity.ts";
import { digestFd } from "../slices/digest_fd.ts";
import { readSlice, readWhole } from "../slices/read_slice.ts";
import type { Store } from "../store/open_store.ts";
import { checkStore } from "../upkeep/check_store.ts";
import { deferPut } from "./put.ts";
import { putBytes } from "./put_bytes.ts";

const bytesOf = (length: number) =>
  Uint8Array.from({ length }, (_, at) => at % 11 === 10 ? 0x0a : 0x61 + at % 26);
const contentOf = (store: Store, entry: FdEntry): Uint8Array =>
  readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }));
const filesOf = (store: Store): string[] =>
  [...Deno.readDirSync(`${store.path}/v2/fds/0000`)].map(({ name }) => name).sort();
const recordOf = (store: Store, id: number): string => `${store.path}/v2/fds/0000/${id}.rec`;

Deno.test("content of up to a block is one file, which gives the same fd as three", async () => {
  const anyBytes = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc.integer({ min: 4000, max: 4200 }).map(bytesOf),
    fc.integer({ min: 32_760, max: 32_768 }).map(bytesOf),
  );
  await fc.assert(
    fc.asyncProperty(anyBytes, fc.integer({ min: 1, max: 5000 }), async (bytes, pageSize) => {
      using world = temporaryStore();
      const { store } = world;
      const put = putBytes(store, bytes, { source: "test", pageSize });
      const slow = putSlowly(store, bytes, { source: "test", pageSize });
      assertEquals(filesOf(store), ["1.rec", "2.dat", "2.rec"]);
      const found = findFd(store, "1");
      for (const entry of [put, found, listFds(store)[0]!]) {
        assertEquals(contentOf(store, entry), bytes);
        const known = { id: 0, createdMs: 0, contentPath: "", inRecord: undefined };
        assertEquals({ ...entry, ...known }, { ...slow, ...known });
      }
      const sha256 = await digestFd(store, found);
      assertEquals([findFd(store, "1").sha256, contentOf(store, findFd(store, "1"))], [sha256, bytes]);
      assertEquals((await checkStore(store, { repair: false })).findings, []);
    }),
    { numRuns: 60 },
  );
});

Deno.test("an object that its writer was killed in is incomplete, with what is there, and its id stays used up", async () => {
  for (const length of [20, 3000, 20_000, 32_768]) {
    const bytes = bytesOf(length);
    using world = temporaryStore();
    const { store } = world;
    const fromByte = storeByTheDead(store, bytes);
    const object = Deno.readFileSync(recordOf(store, 1));
    for (let size = 0; size < object.length; size += 4096) {
      Deno.writeFileSync(recordOf(store, 1), object.subarray(0, size));
      Deno.utimeSync(recordOf(store, 1), 1, 1);
      const entry = findFd(store, "1");
      const there = Math.max(0, size - fromByte);
      assertEquals([entry.state, entry.byteCount], ["incomplete", there], `${size} of ${object.length}`);
      assertEquals(contentOf(store, entry), bytes.subarray(0, there));
      await digestFd(store, entry);
      assertEquals(findFd(store, "1").byteCount, there, "a sha-256 is not appended");
      const { findings } = await checkStore(store, { repair: true });
      assertEquals(findings.map(({ problem }) => problem), ["writer_died"]);
    }
    assertEquals(putBytes(store, bytes, { source: "test" }).id, 2);
  }
});

Deno.test("an object that was cut off elsewhere is damaged, and never read in part", async () => {
  using world = temporaryStore();
  const { store } = world;
  const bytes = bytesOf(9000);
  putBytes(store, bytes, { source: "test" });
  const size = Deno.statSync(recordOf(store, 1)).size;
  for (const cut of [1, 500, 5000]) {
    Deno.truncateSync(recordOf(store, 1), size - cut);
    assertThrows(() => contentOf(store, findFd(store, "1")), FdError);
    const { findings } = await checkStore(store, { repair: true });
    assertEquals(findings.map(({ problem }) => problem), ["content_damaged"]);
  }
});

Deno.test("an object under another id, or with a damaged header, is refused", async () => {
  using world = temporaryStore();
  const { store } = world;
  for (const length of [100, 200]) putBytes(store, bytesOf(length), { source: "test" });
  Deno.copyFileSync(recordOf(store, 1), recordOf(store, 2));
  assertThrows(() => findFd(store, "2"), FdError);
  const bytes = Deno.readFileSync(recordOf(store, 1));
  bytes[20]! ^= 1;
  Deno.writeFileSync(recordOf(store, 1), bytes);
  assertThrows(() => findFd(store, "1"), FdError);
  const { findings } = await checkStore(store, { repair: true });
  assertEquals(findings.map(({ fd, problem }) => [fd, problem]), [["fd:1", "record_damaged"], [
    "fd:2",
    "record_damaged",
  ]]);
  assertEquals(putBytes(store, bytesOf(10), { source: "test" }).id, 3);
});

Deno.test("storing that fails at any call leaves the fd whole or without content, and its id used up", async () => {
  const bytes = bytesOf(5000);
  for (const fault of ["ENOSPC", "EIO", "short write"] as const) {
    for (let callNumber = 1, isHit = true; isHit; callNumber++) {
      using world = temporaryStore();
      const { store } = world;
      putBytes(store, bytes, { source: "before" });
      const { hit, result, thrown } = await withFailingCall(
        callNumber,
        fault,
        () => putBytes(store, bytes, { source: "test", durable: true }),
      );
      isHit = hit !== undefined;
      assertEquals(result === undefined, thrown instanceof FdError, String(thrown));
      ageRecords(store);
      for (const entry of listFds(store)) {
        const isEmpty = entry.state === "incomplete" && entry.byteCount === 0;
        assert(isEmpty && result === undefined || entry.state === "sealed");
        if (!isEmpty) assertEquals(contentOf(store, entry), bytes);
      }
      const ids = listFds(store).map(({ id }) => id);
      const { id } = putBytes(store, bytes, { source: "after" });
      assert(!ids.includes(id) && contentOf(store, findFd(store, "1")).length === bytes.length);
    }
  }
});

Deno.test("held bytes claim no id until the put is sealed, goes live or is longer than a block", () => {
  using world = temporaryStore();
  const { store } = world;
  const put = deferPut(store, { source: "test" });
  put.write(bytesOf(30_000));
  assertEquals([put.isHeld, put.byteCount, listFds(store)], [true, 30_000, []]);
  put.write(bytesOf(3000));
  assertEquals([put.isHeld, findFd(store, "1").state], [false, "live"]);
  assertEquals(put.seal().byteCount, 33_000);

  const paused = deferPut(store, { source: "test" });
  paused.write(bytesOf(10));
  paused.goLive();
  const { state, byteCount } = findFd(store, "2");
  assertEquals([state, byteCount], ["live", 10]);
  paused.write(bytesOf(5));
  assertEquals(contentOf(store, paused.seal()), new Uint8Array([...bytesOf(10), ...bytesOf(5)]));

  const left = deferPut(store, { source: "test" });
  left.write(bytesOf(10));
  left.abandon();
  assertEquals(listFds(store).length, 2);
});

Deno.test("held bytes that cannot be stored are still there, and are not stored twice", () => {
  using world = temporaryStore();
  const { store } = world;
  const { open } = disk;
  const put = deferPut(store, { source: "test" });
  put.write(bytesOf(100));
  try {
    disk.open = (() => {
      throw Object.assign(new Error("full"), { code: "ENOSPC" });
    }) as typeof open;
    assertThrows(() => put.goLive(), FdError);
  } finally {
    disk.open = open;
  }
  assertEquals([[...put.stored()], put.isEnded], [[bytesOf(100)], true]);
  put.abandon();
  assertEquals(listFds(store), []);
});

/** Stores `bytes` as one file, by a writer that is not running any more. Returns where the content is. */
function storeByTheDead(store: Store, bytes: Uint8Array): number {
  const { id, recordFile } = claimFd(store, "test");
  const writer = { ...thisWriter(), started: "1" };
  const claim: ClaimLine = { event: "claim", at: Date.now(), source: "test", page_size: 4000, writer };
  const seal = sealLine(totalsOfBlock(bytes, 4000), {}, undefined);
  const { fromByte } = writeObject(recordFile, id, { claim, seal }, bytes);
  disk.close(recordFile);
  return fromByte;
}
