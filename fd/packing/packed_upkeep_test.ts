// Promise: cleanup counts packed content as the disk does, packs and removes nothing early whatever the clock says, and a
// plan says what packing saves.

import { assert, assertEquals, assertThrows } from "@std/assert";
import { putSlowly, type TemporaryStore, temporaryStore } from "../../tests/temporary_store.ts";
import { disk } from "../disk/disk.ts";
import { FdError } from "../disk/errors.ts";
import { forkStore } from "../forks/fork_store.ts";
import { putBytes } from "../put/put_bytes.ts";
import { findFd } from "../records/find_fd.ts";
import { listFds } from "../records/list_fds.ts";
import { readSlice, readWhole } from "../slices/read_slice.ts";
import { openStore, type Store } from "../store/open_store.ts";
import { clockPath, sharedPacksPath } from "../store/further_paths.ts";
import { contentPath, packPath, sweptPath } from "../store/store_paths.ts";
import { checkStore } from "../upkeep/check_store.ts";
import { collectGarbage } from "../upkeep/collect_garbage.ts";
import { removeFd } from "../upkeep/remove_fd.ts";
import { sweepSometimes } from "../upkeep/sweep_sometimes.ts";
import { diskUse } from "./disk_bytes.ts";
import { packFds } from "./pack_store.ts";
import { plainFile } from "./plain_file.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;

/** Lines that compress less well the higher `variety` is. */
function linesOf(byteCount: number, variety: number): Uint8Array {
  const bytes = new Uint8Array(byteCount);
  for (let at = 0, state = variety + 1; at < byteCount; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = at % 60 === 59 ? 10 : 97 + (at % 60 < variety ? state >>> 24 & 15 : at % 60 % 11);
  }
  return bytes;
}

/** From this size on, the sweep packs. */
const LARGE = linesOf(2 ** 20 + 70_000, 20);
const SMALL = linesOf(50_000, 20);

const exists = (path: string): boolean => disk.lstat(path, { throwIfNoEntry: false }) !== undefined;
const formsOf = ({ path }: Store, id: number): string =>
  [exists(contentPath(path, id)) ? "plain" : "", exists(packPath(path, id)) ? "packed" : ""].join("");
const packNow = (store: Store, plan = false) =>
  collectGarbage(store, { dryRun: plan, nowMs: Date.now(), pack: { plan } });

function contentOf(store: Store, id: number): Uint8Array {
  const entry = findFd(store, `${id}`);
  return readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }));
}

/** Bytes of all content files, each inode once. */
function bytesOnDisk({ path }: Store): number {
  const sizes = new Map<number, number>();
  for (const { name } of Deno.readDirSync(`${path}/v2/fds/0000`)) {
    if (!/\.(dat|pack)$/.test(name)) continue;
    const { ino, size } = disk.lstat(`${path}/v2/fds/0000/${name}`);
    sizes.set(ino, size);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

function linksIn(store: Store): string[] {
  const directory = sharedPacksPath(store.path);
  return !exists(directory)
    ? []
    : [...Deno.readDirSync(directory)].flatMap(({ name }) =>
      [...Deno.readDirSync(`${directory}/${name}`)].map((each) => each.name)
    );
}

/** Sets the times of a file to `days` days before `nowMs`. */
function date(path: string, nowMs: number, days: number): void {
  const seconds = (nowMs - days * DAY_MS) / 1000;
  Deno.utimeSync(path, seconds, seconds);
}

/** A store that was swept an hour ago, and whose fd:1 was last read `unreadDays` ago. */
async function sweptStore(content: Uint8Array, unreadDays: number): Promise<TemporaryStore> {
  const world = temporaryStore();
  const { store } = world;
  putBytes(store, content, { source: "test" });
  await sweepSometimes(store, Date.now());
  await collectGarbage(store, { dryRun: false, nowMs: Date.now() });
  date(sweptPath(store.path), Date.now(), 1 / 24);
  date(contentPath(store.path, 1), Date.now(), unreadDays);
  return world;
}

Deno.test("the progress of packing ends with all that was to pack", async () => {
  using world = temporaryStore();
  const { store } = world;
  for (const content of [LARGE, SMALL.subarray(0, 100), SMALL]) putBytes(store, content, { source: "test" });
  const seen: [number, number | undefined][] = [];
  await collectGarbage(store, {
    dryRun: false,
    nowMs: Date.now(),
    pack: { onProgress: (done, total) => seen.push([done, total?.()]) },
  });
  const all = LARGE.length + SMALL.length;
  assertEquals(seen.at(-1), [all, all]);
  assertEquals(seen.map(([done]) => done), seen.map(([done]) => done).toSorted((a, b) => a - b));
});

Deno.test("a sweep packs what was not read for a day, and nothing else", async () => {
  for (const [unreadDays, forms] of [[0.9, "plain"], [1.1, "packed"]] as const) {
    using world = await sweptStore(LARGE, unreadDays);
    await sweepSometimes(world.store, Date.now());
    assertEquals(formsOf(world.store, 1), forms, `${unreadDays} days`);
  }
});

Deno.test("a clock that jumps packs and removes nothing that was read within a day", async () => {
  for (const jumpMs of [YEAR_MS, 3 * DAY_MS, -YEAR_MS, -3 * HOUR_MS, Date.UTC(1970, 0, 2) - Date.now()]) {
    using world = await sweptStore(LARGE, 0.2);
    const { store } = world;
    putBytes(store, SMALL, { source: "test" });
    await collectGarbage(store, { dryRun: false, nowMs: Date.now(), pack: {} });
    const path = await plainFile(store, findFd(store, "1"));
    date(path, Date.now(), 0.2);
    const nowMs = Date.now() + jumpMs;
    const report = await sweepSometimes(store, nowMs);
    assertEquals([report?.removed, report?.packing?.packedCount], [[], 0], `${jumpMs}`);
    assertEquals([formsOf(store, 1), formsOf(store, 2)], ["plainpacked", "packed"], `${jumpMs}`);
    // Back at the right time, the store goes on as if nothing had been.
    const after = await sweepSometimes(store, Date.now() + 2 * HOUR_MS);
    assertEquals([after?.removed, after?.packing?.packedCount], [[], 0]);
    assertEquals([contentOf(store, 1), contentOf(store, 2)], [LARGE, SMALL]);
  }
});

Deno.test("a clock a year ahead is doubted for packed content as for plain", async () => {
  using world = temporaryStore();
  const { store } = world;
  putBytes(store, SMALL, { source: "test" });
  await packNow(store);
  const report = await collectGarbage(store, { dryRun: false, nowMs: Date.now() + YEAR_MS, pack: {} });
  assertEquals([report.removed, report.doubtedCount, formsOf(store, 1)], [[], 1, "packed"]);
  Deno.removeSync(clockPath(store.path));
  const again = await collectGarbage(store, { dryRun: false, nowMs: Date.now() + YEAR_MS });
  assertEquals([again.removed, again.doubtedCount], [[], 1]);
});

Deno.test("the plain file that path made is counted, and removed a day after it was last read", async () => {
  using world = await sweptStore(SMALL, 0);
  const { store } = world;
  await packNow(store);
  const packedBytes = disk.stat(packPath(store.path, 1)).size;
  const path = await plainFile(store, findFd(store, "1"));
  const use = diskUse(findFd(store, "1"));
  assertEquals([use.plainBytes, use.packedBytes], [SMALL.length, packedBytes]);
  const { diskBytesBefore } = await collectGarbage(store, { dryRun: true, nowMs: Date.now() });
  assertEquals([diskBytesBefore, bytesOnDisk(store)], [packedBytes + SMALL.length, diskBytesBefore]);

  const sweep = async (unreadDays: number) => {
    date(path, Date.now(), unreadDays);
    date(sweptPath(store.path), Date.now(), 1 / 24);
    await sweepSometimes(store, Date.now());
    return formsOf(store, 1);
  };
  assertEquals([await sweep(0.9), await sweep(1.1)], ["plainpacked", "packed"]);
});

Deno.test("packing again writes no content", async () => {
  using world = temporaryStore();
  const { store } = world;
  putBytes(store, LARGE, { source: "test" });
  await packNow(store);
  const { ino } = disk.stat(packPath(store.path, 1));
  await plainFile(store, findFd(store, "1"));
  const { write } = disk;
  let written = 0;
  disk.write = ((...parameters: Parameters<typeof write>) => {
    const count = write(...parameters);
    written += count;
    return count;
  }) as typeof disk.write;
  try {
    const { packing, diskBytesBefore, diskBytesAfter } = await packNow(store);
    assertEquals([packing?.packedCount, diskBytesBefore - diskBytesAfter], [1, LARGE.length]);
  } finally {
    disk.write = write;
  }
  // The note of the clock, and no more.
  assert(written < 200, `${written} bytes`);
  assertEquals([disk.stat(packPath(store.path, 1)).ino, formsOf(store, 1)], [ino, "packed"]);
});

Deno.test("the quota goes by the disk: a plain file counts beside the packed one, a shared pack once", async () => {
  using world = temporaryStore({ ttlMs: 0 });
  const { store } = world;
  for (let n = 0; n < 3; n++) putBytes(store, SMALL, { source: "test" });
  putBytes(store, LARGE, { source: "test" });
  await packNow(store);
  await plainFile(store, findFd(store, "4"));
  const shared = disk.stat(packPath(store.path, 1)).size;
  const large = disk.stat(packPath(store.path, 4)).size;
  const all = shared + large + LARGE.length;
  assertEquals(bytesOnDisk(store), all);
  const removedWith = async (quotaBytes: number) => {
    const { removed, diskBytesAfter } = await collectGarbage(
      { ...store, limits: { ...store.limits, quotaBytes } },
      { dryRun: true, nowMs: Date.now() },
    );
    return [removed.map(({ id }) => id), diskBytesAfter];
  };
  assertEquals(await removedWith(all), [[], all]);
  // The three free nothing until the last of them goes.
  assertEquals(await removedWith(all - 1), [[1, 2, 3], all - shared]);
  assertEquals(await removedWith(all - shared - 1), [[1, 2, 3, 4], 0]);
});

Deno.test("what packing saves is not removed for the quota, and the rest is as planned", async () => {
  using world = temporaryStore({ ttlMs: 0 });
  const { store } = world;
  for (let n = 0; n < 6; n++) putBytes(store, linesOf(400_000, 20 + n), { source: "test" });
  const at = (quotaBytes: number): Store => ({ ...store, limits: { ...store.limits, quotaBytes } });
  const gc = (store: Store, plan: boolean) =>
    collectGarbage(store, { dryRun: plan, nowMs: Date.now(), pack: { plan } });
  const roomy = at(2_000_000);
  const plan = await gc(roomy, true);
  assertEquals([plan.removed, plan.packing?.packedCount], [[], 6]);
  const done = await gc(roomy, false);
  assertEquals([done.removed, done.diskBytesAfter], [[], plan.diskBytesAfter]);
  const narrow = at(done.diskBytesAfter >> 1);
  for (const id of [1, 4]) await plainFile(store, findFd(store, `${id}`));
  const planned = await gc(narrow, true);
  const { removed, diskBytesAfter } = await gc(narrow, false);
  assertEquals([planned.removed.map(({ id }) => id), planned.diskBytesAfter], [
    removed.map(({ id }) => id),
    diskBytesAfter,
  ]);
  assertEquals([removed.map(({ id }) => id), bytesOnDisk(store)], [[1, 2, 3, 4], diskBytesAfter]);
});

Deno.test("the last fd that has the content frees it, in whatever order they are removed", async () => {
  for (const order of [[1, 2, 3], [3, 2, 1], [2, 1, 3]]) {
    using world = temporaryStore();
    const { store } = world;
    for (let n = 0; n < 3; n++) putBytes(store, SMALL, { source: "test" });
    await packNow(store);
    for (const [at, id] of order.entries()) {
      // The content, and its index.
      assertEquals(linksIn(store).length, 2);
      await removeFd(store, findFd(store, `${id}`), "test");
      for (const left of order.slice(at + 1)) assertEquals(contentOf(store, left), SMALL);
    }
    assertEquals([linksIn(store), bytesOnDisk(store)], [[], 0]);
  }
});

Deno.test("a fork keeps packed content that its source removes, and the last of both frees it", async () => {
  using world = temporaryStore();
  const { store } = world;
  for (let n = 0; n < 2; n++) putBytes(store, SMALL, { source: "test" });
  await packNow(store);
  const { store: fork } = forkStore(store, `${world.dir}/fork`);
  const { ino } = disk.stat(packPath(store.path, 1));
  assertEquals(disk.stat(packPath(fork.path, 2)).ino, ino);
  for (const id of [1, 2]) await removeFd(store, findFd(store, `${id}`), "test");
  assertEquals([contentOf(fork, 1), contentOf(fork, 2)], [SMALL, SMALL]);
  assertEquals((await checkStore(fork, { repair: false })).findings, []);
  // New content in the source that is the same is not that of the fork's fds only: it has a link in `packs/`.
  putBytes(store, SMALL, { source: "test" });
  await packNow(store);
  assertEquals(disk.stat(packPath(store.path, 3)).ino, ino);
  await removeFd(store, findFd(store, "3"), "test");
  for (const id of [1, 2]) await removeFd(fork, findFd(fork, `${id}`), "test");
  await collectGarbage(store, { dryRun: false, nowMs: Date.now() });
  assertEquals([linksIn(store), linksIn(fork)], [[], []]);
});

Deno.test("stores that are no forks of each other share no file", async () => {
  using world = temporaryStore();
  const other = openStore(`${world.dir}/other`);
  for (const store of [world.store, other]) {
    putBytes(store, SMALL, { source: "test" });
    await packNow(store);
  }
  const [one, two] = [world.store, other].map(({ path }) => disk.stat(packPath(path, 1)));
  // One name is the fd's, one in `packs/`.
  assertEquals([one!.ino === two!.ino, one!.nlink, two!.nlink], [false, 2, 2]);
});

Deno.test("packing finds the same content again in a copy of a store without its links", async () => {
  using world = temporaryStore();
  const { store } = world;
  for (let n = 0; n < 3; n++) putBytes(store, LARGE, { source: "test" });
  await packNow(store);
  const copy = openStore(`${store.path}-copy`);
  // Copies each link as a file of its own.
  assert(new Deno.Command("cp", { args: ["-r", store.path, copy.path] }).outputSync().success);
  putBytes(copy, LARGE, { source: "test" });
  await packNow(copy);
  const packs = [1, 2, 3, 4].map((id) => disk.stat(packPath(copy.path, id)));
  assertEquals(new Set(packs.map(({ ino }) => ino)).size, 1);
  assertEquals(packs[0]!.nlink, 5);
  assertEquals(bytesOnDisk(copy), bytesOnDisk(store));
  assertEquals(contentOf(copy, 2), LARGE);
  assertEquals((await checkStore(copy, { repair: false })).findings, []);
});

Deno.test("damage to a shared pack is reported for every fd that has it, and new content does not join it", async () => {
  using world = temporaryStore();
  const { store } = world;
  for (let n = 0; n < 3; n++) putBytes(store, LARGE, { source: "test" });
  putBytes(store, SMALL, { source: "test" });
  await packNow(store);
  const path = packPath(store.path, 2);
  const bytes = Deno.readFileSync(path);
  bytes[bytes.length >> 1]! ^= 0x10;
  Deno.writeFileSync(path, bytes);
  const { findings } = await checkStore(store, { repair: true });
  assertEquals(
    findings.map(({ fd, problem }) => [fd, problem]),
    [1, 2, 3].map((id) => [`fd:${id}`, "content_damaged"]),
  );
  assertEquals(findings.map(({ path }) => path), [1, 2, 3].map((id) => packPath(store.path, id)));
  assertEquals(new Set(findings.map(({ detail }) => detail)).size, 1);
  const { failure } = assertThrows(() => contentOf(store, 3), FdError);
  assertEquals(failure.kind === "store_corrupt" && failure.path, packPath(store.path, 3));
  putBytes(store, LARGE, { source: "test" });
  await packNow(store);
  assertEquals(contentOf(store, 5), LARGE);
  assertEquals((await checkStore(store, { repair: true })).findings.map(({ fd }) => fd), [
    "fd:1",
    "fd:2",
    "fd:3",
  ]);
});

Deno.test("a plan says what packing saves", async () => {
  using world = temporaryStore();
  const { store } = world;
  const noise = crypto.getRandomValues(new Uint8Array(60_000));
  const repeated = new Uint8Array(1_300_000).map((_, at) => noise[at * 31 % 59_999]!);
  const put = (bytes: Uint8Array) => putBytes(store, bytes, { source: "test" }).id;
  // The same content, packed already.
  put(SMALL);
  await packNow(store);
  put(SMALL);
  // A plain file beside a packed one.
  await plainFile(store, findFd(store, "1"));
  for (const variety of [0, 5, 20, 40, 59]) put(linesOf(700_000 + variety * 50_000, variety));
  put(LARGE);
  put(LARGE);
  put(noise);
  // Noise that comes after lines, and lines that come after noise.
  put(new Uint8Array([...LARGE, ...repeated]));
  put(new Uint8Array([...repeated, ...LARGE]));
  putSlowly(store, new Uint8Array(10), { source: "test" });

  const plan = await packNow(store, true);
  const before = bytesOnDisk(store);
  assertEquals([plan.diskBytesBefore, plan.packing?.failures], [before, []]);
  const done = await packNow(store);
  const after = bytesOnDisk(store);
  assertEquals([done.diskBytesBefore, done.diskBytesAfter], [before, after]);
  assertEquals(plan.packing?.packedCount, done.packing?.packedCount);
  assertEquals(plan.packing?.bytesBefore, done.packing?.bytesBefore);
  const error = Math.abs(plan.packing!.bytesAfter - done.packing!.bytesAfter) / done.packing!.bytesAfter;
  assert(error < 0.05, `${plan.packing!.bytesAfter} planned, ${done.packing!.bytesAfter} are`);
  const again = await packNow(store, true);
  assertEquals([again.packing?.packedCount, again.diskBytesBefore], [0, after]);
});

Deno.test("a request packs at most about the bytes that it names", async () => {
  using world = temporaryStore();
  const { store } = world;
  for (let n = 0; n < 4; n++) putBytes(store, linesOf(100_000, n), { source: "test" });
  const { packedCount } = await packFds(store, listFds(store), { nowMs: Date.now(), mostBytes: 150_000 });
  assertEquals(packedCount, 2);
});
