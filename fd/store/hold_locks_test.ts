// Promise: one holder at a time, whoever dies; nobody waits for a dead one.

import { assert, assertEquals } from "@std/assert";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { disk } from "../disk/disk.ts";
import { holdLocks } from "./hold_locks.ts";
import { locksPath } from "./store_paths.ts";

Deno.test("of many that want a lock, one holds it at a time, and all get it", async () => {
  using world = temporaryStore();
  let holding = 0;
  let served = 0;
  const take = async (keys: string[]) => {
    const locks = await holdLocks(world.store, keys, 60_000);
    assert(locks !== undefined);
    assertEquals(++holding, 1);
    await Promise.resolve();
    holding--;
    served++;
    locks.release();
  };
  await Promise.all(
    Array.from({ length: 12 }, (_, index) => take(index % 2 === 0 ? ["a", "b"] : ["b", "a"])),
  );
  assertEquals(served, 12);
  assertEquals([...Deno.readDirSync(locksPath(world.store.path))], []);
});

Deno.test("who does not get it in time holds none of them", async () => {
  using world = temporaryStore();
  const held = await holdLocks(world.store, ["b"], 0);
  assertEquals(await holdLocks(world.store, ["a", "b"], 20), undefined);
  const other = await holdLocks(world.store, ["a"], 0);
  assert(held !== undefined && other !== undefined);
  held.release();
  other.release();
});

Deno.test("the lock of a process that is gone is taken over", async () => {
  using world = temporaryStore();
  const first = await holdLocks(world.store, ["a"], 0);
  const [own] = [...Deno.readDirSync(locksPath(world.store.path))];
  assert(first !== undefined && own !== undefined);
  first.release();
  // The same process id, started at another time: it was used again.
  const parts = own.name.split(".");
  parts[2] = "1";
  Deno.writeTextFileSync(`${locksPath(world.store.path)}/${parts.join(".")}`, "");
  const second = await holdLocks(world.store, ["a"], 0);
  assert(second !== undefined);
  second.release();
  assertEquals([...Deno.readDirSync(locksPath(world.store.path))], []);
});

Deno.test("a clock that is set back does not make the wait for a lock longer", async () => {
  using world = temporaryStore();
  const held = await holdLocks(world.store, ["a"], 0);
  assert(held !== undefined);
  const realNow = Date.now;
  const startedMs = performance.now();
  // The first look at the clock is right; then it is set back by two seconds.
  let setBackMs = 0;
  Date.now = () => {
    const nowMs = realNow() - setBackMs;
    setBackMs = 2000;
    return nowMs;
  };
  try {
    assertEquals(await holdLocks(world.store, ["a"], 20), undefined);
  } finally {
    Date.now = realNow;
  }
  assert(performance.now() - startedMs < 1000);
  held.release();
});

Deno.test("a lock of an unknown holder that is dated in the future is not held for ever", async () => {
  using world = temporaryStore();
  const first = await holdLocks(world.store, ["a"], 0);
  const [own] = [...Deno.readDirSync(locksPath(world.store.path))];
  assert(first !== undefined && own !== undefined);
  first.release();
  const parts = own.name.split(".");
  parts[3] = "another-boot";
  const path = `${locksPath(world.store.path)}/${parts.join(".")}`;
  Deno.writeTextFileSync(path, "");
  assertEquals(await holdLocks(world.store, ["a"], 0), undefined, "it may be alive");
  Deno.utimeSync(path, new Date(Date.UTC(2099)), new Date(Date.UTC(2099)));
  const second = await holdLocks(world.store, ["a"], 0);
  assert(second !== undefined);
  second.release();
});

Deno.test("taking hundreds of locks looks at the directory of locks once", async () => {
  using world = temporaryStore();
  const realReaddir = disk.readdir;
  let looks = 0;
  disk.readdir = ((...args: Parameters<typeof realReaddir>) => {
    looks++;
    return realReaddir(...args);
  }) as typeof realReaddir;
  try {
    const locks = await holdLocks(world.store, Array.from({ length: 300 }, (_, index) => `key ${index}`), 0);
    assert(locks !== undefined);
    assertEquals([...Deno.readDirSync(locksPath(world.store.path))].length, 300);
    locks.release();
  } finally {
    disk.readdir = realReaddir;
  }
  assertEquals(looks, 1);
  assertEquals([...Deno.readDirSync(locksPath(world.store.path))], []);
});
