import { assertEquals, assertRejects } from "@std/assert";
import { temporaryStore } from "../tests/temporary_store.ts";
import { bindName } from "./bind_name.ts";
import { BACKUP_SOURCE, collectGarbage } from "./collect_garbage.ts";
import { FdError } from "./errors.ts";
import { findFd } from "./find_fd.ts";
import { listFds } from "./list_fds.ts";
import { beginPut, putBytes } from "./put_bytes.ts";
import { removeFd } from "./remove_fd.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const kilobyte = new Uint8Array(1000).fill(65);

Deno.test("over the quota the oldest go first; named, live and backup fds stay", async () => {
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

Deno.test("what is older than the age limit goes, backups too, and 0 turns a limit off", async () => {
  using world = temporaryStore({ quotaBytes: 0, ttlMs: DAY_MS });
  const { store } = world;
  putBytes(store, kilobyte, { source: "test" });
  putBytes(store, kilobyte, { source: BACKUP_SOURCE });
  const off = { ...store, limits: { ...store.limits, ttlMs: 0 } };
  const nowMs = Date.now() + 2 * DAY_MS;
  assertEquals((await collectGarbage(off, { dryRun: false, nowMs })).removed, []);
  assertEquals((await collectGarbage(store, { dryRun: false, nowMs })).removed.map((each) => each.id), [
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

Deno.test("a listing cache answers what the records answer, after removals too", async () => {
  using world = temporaryStore();
  const { store } = world;
  for (let each = 0; each < 100; each++) putBytes(store, kilobyte, { source: `test ${each}` });
  const fresh = listFds(store);
  assertEquals(Deno.statSync(`${store.path}/v1/fds/0000/listing`).isFile, true);
  const known = (value: unknown) => JSON.parse(JSON.stringify(value));
  assertEquals(known(listFds(store)), known(fresh));
  await removeFd(store, fresh[41]!, "asked");
  putBytes(store, kilobyte, { source: "later" });
  const ids = listFds(store).map((entry) => entry.id);
  assertEquals(ids, Array.from({ length: 101 }, (_, at) => at + 1).filter((id) => id !== 42));
});
