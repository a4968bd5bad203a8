// Promise: a lock has one holder at a time, even if processes die, and dead holders do not block.

import { assert, assertEquals } from "@std/assert";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { disk } from "../disk/disk.ts";
import { holdLocks } from "./hold_locks.ts";
import { locksPath } from "./further_paths.ts";

Deno.test("only one of many lock requests holds the lock at a time, and all get it", async () => {
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

Deno.test("a lock request that times out holds none of its locks", async () => {
  using world = temporaryStore();
  const held = await holdLocks(world.store, ["b"], 0);
  assertEquals(await holdLocks(world.store, ["a", "b"], 20), undefined);
  const other = await holdLocks(world.store, ["a"], 0);
  assert(held !== undefined && other !== undefined);
  held.release();
  other.release();
});

Deno.test("a dead process's lock is taken over", async () => {
  using world = temporaryStore();
  const first = await holdLocks(world.store, ["a"], 0);
  const [own] = [...Deno.readDirSync(locksPath(world.store.path))];
  assert(first !== undefined && own !== undefined);
  first.release();
  // The same process id with another start time: the id was reused.
  const parts = own.name.split(".");
  parts[2] = "1";
  Deno.writeTextFileSync(`${locksPath(world.store.path)}/${parts.join(".")}`, "");
  const second = await holdLocks(world.store, ["a"], 0);
  assert(second !== undefined);
  second.release();
  assertEquals([...Deno.readDirSync(locksPath(world.store.path))], []);
});

Deno.test("setting the clock back does not prolong the wait for a lock", async () => {
  using world = temporaryStore();
  const held = await holdLocks(world.store, ["a"], 0);
  assert(held !== undefined);
  const [realNow, performanceNow] = [Date.now, performance.now];
  // A look at the monotonic clock takes 10 ms.
  let lookCount = 0;
  performance.now = () => 10 * lookCount++;
  // The first clock reading is right; then the clock is set back by two seconds.
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
    performance.now = performanceNow;
  }
  assert(lookCount > 1);
  held.release();
});

Deno.test("a lock of an unknown holder with a date in the future expires", async () => {
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

Deno.test("taking hundreds of locks lists the lock directory once", async () => {
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
