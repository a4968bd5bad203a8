import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { bindName } from "../store/bind_name.ts";
import { collectGarbage } from "./collect_garbage.ts";
import { BACKUP_SOURCE } from "../records/record_line.ts";
import { namesPath, openTransactionsPath } from "../store/store_paths.ts";
import { disk } from "../disk/disk.ts";
import { FdError } from "../disk/errors.ts";
import { plainFile } from "../packing/plain_file.ts";
import { findFd } from "../records/find_fd.ts";
import { listFds } from "../records/list_fds.ts";
import { beginPut } from "../put/put.ts";
import { putBytes } from "../put/put_bytes.ts";
import { removeFd } from "./remove_fd.ts";
import { markTransaction, unmarkTransaction } from "../store/transaction_marks.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const kilobyte = new Uint8Array(1000).fill(65);

Deno.test("cleanup that cannot tell which fds are named removes nothing, and says so", async () => {
  using world = temporaryStore({ quotaBytes: 1, ttlMs: 0 });
  const { store } = world;
  putBytes(store, kilobyte, { source: "test", names: ["kept"] });
  const { stat } = disk;
  disk.stat = ((path: string) => {
    throw Object.assign(new Error("EIO"), { code: "EIO", path });
  }) as typeof disk.stat;
  try {
    const { failure } = await assertRejects(
      () => collectGarbage(store, { dryRun: false, nowMs: Date.now() }),
      FdError,
    );
    assertEquals([failure.kind, "path" in failure && failure.path], ["read_error", namesPath(store.path)]);
  } finally {
    disk.stat = stat;
  }
  assertEquals(listFds(store).length, 1);
});

Deno.test("an empty fd is not removed for the quota", async () => {
  using world = temporaryStore({ quotaBytes: 1, ttlMs: 0 });
  const { store } = world;
  putBytes(store, new Uint8Array(), { source: "test" });
  putBytes(store, new Uint8Array(10), { source: "test" });
  const { removed } = await collectGarbage(store, { dryRun: false, nowMs: Date.now() });
  assertEquals(removed.map(({ id }) => id), [2]);
});

Deno.test("over the quota the oldest fds are removed first; named, live and backup fds are preserved", async () => {
  using world = temporaryStore({ quotaBytes: 2500, ttlMs: DAY_MS });
  const { store } = world;
  for (const source of ["first", "second", BACKUP_SOURCE, "fourth", "fifth"]) {
    putBytes(store, kilobyte, { source });
  }
  bindName(store, "keep", 1);
  const live = beginPut(store, { source: "live" });
  live.write(kilobyte);
  const dry = await collectGarbage(store, { dryRun: true, nowMs: Date.now() });
  const { removed, bytesBefore, bytesAfter } = await collectGarbage(store, {
    dryRun: false,
    nowMs: Date.now(),
  });
  assertEquals(dry.removed.map((each) => each.id), removed.map((each) => each.id));
  assertEquals([removed.map((each) => each.id), bytesBefore, bytesAfter], [[2, 4, 5], 6000, 3000]);
  assertEquals(listFds(store).map((entry) => entry.id), [1, 3, 6]);
  live.seal();
});

Deno.test("fds older than the age limit are removed, backups too, and 0 turns a limit off", async () => {
  using world = temporaryStore({ quotaBytes: 0, ttlMs: DAY_MS });
  const { store } = world;
  putBytes(store, kilobyte, { source: "test" });
  putBytes(store, kilobyte, { source: BACKUP_SOURCE });
  const off = { ...store, limits: { ...store.limits, ttlMs: 0 } };
  const request = { dryRun: false, nowMs: Date.now() + 2 * DAY_MS, trustClock: true };
  assertEquals((await collectGarbage(off, request)).removed, []);
  assertEquals((await collectGarbage(store, request)).removed.map((each) => each.id), [
    1,
    2,
  ]);
});

Deno.test("a live fd cannot be removed", async () => {
  using world = temporaryStore();
  const put = beginPut(world.store, { source: "test" });
  await assertRejects(() => removeFd(world.store, findFd(world.store, "1"), "asked"), FdError);
  put.seal();
});

Deno.test("a listing gives the same result as the records, also after removals", async () => {
  using world = temporaryStore();
  const { store } = world;
  for (let each = 0; each < 100; each++) putBytes(store, kilobyte, { source: `test ${each}` });
  const fresh = listFds(store);
  assertEquals(Deno.statSync(`${store.path}/v2/fds/0000.listing`).isFile, true);
  const known = (value: unknown) => JSON.parse(JSON.stringify(value));
  assertEquals(known(listFds(store)), known(fresh));
  await removeFd(store, fresh[41]!, "asked");
  putBytes(store, kilobyte, { source: "later" });
  const ids = listFds(store).map((entry) => entry.id);
  assertEquals(ids, Array.from({ length: 101 }, (_, at) => at + 1).filter((id) => id !== 42));
});

Deno.test("an fd named during cleanup is preserved", async () => {
  using world = temporaryStore({ quotaBytes: 1, ttlMs: 0 });
  const { store } = world;
  for (let each = 0; each < 4; each++) putBytes(store, kilobyte, { source: "test" });
  const cleaning = collectGarbage(store, { dryRun: false, nowMs: Date.now() });
  // Cleanup is waiting for the first fd's sha-256.
  bindName(store, "keep", 3);
  assertEquals((await cleaning).removed.map((each) => each.id), [1, 2, 4]);
  assertEquals(findFd(store, "ref:keep").state, "sealed");
});

Deno.test("a sweep preserves spared fds, and stops after removing enough", async () => {
  using world = temporaryStore({ quotaBytes: 1, ttlMs: 0 });
  const { store } = world;
  for (let each = 0; each < 5; each++) putBytes(store, kilobyte, { source: "test" });
  const request = { dryRun: false, nowMs: Date.now(), spared: [2], mostBytes: 1500 };
  const first = await collectGarbage(store, request);
  assertEquals([first.removed.map((each) => each.id), first.isAll], [[1, 3], false]);
  const second = await collectGarbage(store, request);
  assertEquals([second.removed.map((each) => each.id), second.isAll], [[4, 5], true]);
  assertEquals(listFds(store).map((entry) => entry.id), [2]);
});

Deno.test("an interrupted removal is finished, even if a listing had the fd", async () => {
  using world = temporaryStore();
  const { store } = world;
  for (let each = 0; each < 100; each++) putBytes(store, kilobyte, { source: "test" });
  const [, second] = listFds(store);
  const { unlink } = disk;
  // As if killed before the content is deleted.
  disk.unlink = (path) => {
    if (String(path).endsWith("/2.dat")) throw Object.assign(new Error("killed"), { code: "EIO" });
    unlink(path);
  };
  try {
    await assertRejects(() => removeFd(store, second!, "asked"), FdError);
  } finally {
    disk.unlink = unlink;
  }
  assertEquals(listFds(store).some(({ id }) => id === 2), false);
  await collectGarbage(store, { dryRun: false, nowMs: Date.now() });
  assertEquals(
    Array.from(Deno.readDirSync(`${store.path}/v2/fds/0000`)).some(({ name }) => name === "2.dat"),
    false,
  );
});

Deno.test("if two calls remove an fd at once, one succeeds and the other fails", async () => {
  using world = temporaryStore();
  const { store } = world;
  const entry = putBytes(store, kilobyte, { source: "test" });
  const both = await Promise.allSettled([removeFd(store, entry, "first"), removeFd(store, entry, "second")]);
  assertEquals(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
});

Deno.test("an unreadable record is reported, and the others are still listed and cleaned", async () => {
  using world = temporaryStore({ quotaBytes: 1, ttlMs: 0 });
  const { store } = world;
  for (let each = 0; each < 3; each++) putBytes(store, kilobyte, { source: "test" });
  Deno.removeSync(`${store.path}/v2/fds/0000/2.rec`);
  Deno.mkdirSync(`${store.path}/v2/fds/0000/2.rec`);
  assertThrows(() => listFds(store), FdError);
  const reported: string[] = [];
  assertEquals(listFds(store, ({ kind }) => reported.push(kind)).map(({ id }) => id), [1, 3]);
  assertEquals(reported, ["read_error"]);
  const { removed, unreadable } = await collectGarbage(store, { dryRun: false, nowMs: Date.now() });
  assertEquals([removed.map((each) => each.id), unreadable.length], [[1, 3], 1]);
});

Deno.test("cleanup preserves old backups that an interrupted write needs", async () => {
  using world = temporaryStore({ quotaBytes: 100, ttlMs: DAY_MS });
  const { store } = world;
  for (const source of [BACKUP_SOURCE, "other"]) putBytes(store, kilobyte, { source });
  mkdirSync(dirname(openTransactionsPath(store.path)), { recursive: true });
  markTransaction(store, 1);
  const request = { dryRun: false, nowMs: Date.now() + 3 * DAY_MS, trustClock: true };
  assertEquals((await collectGarbage(store, request)).removed.map(({ id }) => id), [2]);
  unmarkTransaction(store, 1);
  assertEquals((await collectGarbage(store, request)).removed.map(({ id }) => id), [1]);
});

Deno.test("a clock that jumps ahead does not remove a copy that path has just made", async () => {
  using world = temporaryStore();
  const { store } = world;
  const path = await plainFile(store, putBytes(store, kilobyte, { source: "test" }));
  const cleanAt = async (nowMs: number) =>
    (await collectGarbage(store, { dryRun: false, nowMs })).litterCount;
  assertEquals([await cleanAt(Date.now()), await cleanAt(Date.now() + 300 * DAY_MS)], [0, 0]);
  assertEquals(Deno.readFileSync(path), kilobyte);
});

Deno.test("cleanup preserves a copy that it cannot look at, and goes on", async () => {
  using world = temporaryStore();
  const { store } = world;
  const path = await plainFile(store, putBytes(store, kilobyte, { source: "test" }));
  Deno.utimeSync(path, 1, 1);
  const { lstat } = disk;
  disk.lstat = ((asked: string, options: { throwIfNoEntry: false }) => {
    if (asked === path) throw Object.assign(new Error("EIO"), { code: "EIO", path });
    return lstat(asked, options);
  }) as typeof disk.lstat;
  try {
    const { litterCount, removed } = await collectGarbage(store, { dryRun: false, nowMs: Date.now() });
    assertEquals([litterCount, removed], [0, []]);
  } finally {
    disk.lstat = lstat;
  }
  assertEquals((await collectGarbage(store, { dryRun: false, nowMs: Date.now() })).litterCount, 1);
});
