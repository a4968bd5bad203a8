// Promise: a list has every fd once, in order, whatever other files are in the directory.

import { assert, assertEquals } from "@std/assert";
import { putSlowly, temporaryStore } from "../../tests/temporary_store.ts";
import { join } from "node:path";
import { watchDisk } from "../../tests/watched_disk.ts";
import { listContentIds, listFds, listIds, listNewestFds } from "./list_fds.ts";
import { putBytes } from "../put/put_bytes.ts";

Deno.test("files that do not belong to a shard's fds are not listed", () => {
  using world = temporaryStore();
  const { store } = world;
  for (const text of ["one\n", "two\n"]) putSlowly(store, new TextEncoder().encode(text), { source: "test" });
  const shard = `${store.path}/v2/fds/0000`;
  const foreign = [
    "1.old.rec",
    "01.rec",
    "1000.rec",
    "-1.rec",
    ".rec",
    "1e0.rec",
    "1.dat.rec",
    "99999999999999999.rec",
  ];
  for (const name of foreign) Deno.copyFileSync(`${shard}/1.rec`, `${shard}/${name}`);
  Deno.mkdirSync(`${store.path}/v2/fds/0001`);
  for (const name of ["1.rec", "1.dat", "2000.dat"]) {
    Deno.copyFileSync(`${shard}/1.rec`, `${store.path}/v2/fds/0001/${name}`);
  }
  assertEquals(listFds(store).map(({ id }) => id), [1, 2]);
  assertEquals([listIds(store), listContentIds(store)], [[1, 2], [1, 2]]);
});

Deno.test("cached and uncached fds are listed in order", () => {
  using world = temporaryStore();
  const { store } = world;
  for (let made = 0; made < 80; made++) putSlowly(store, new Uint8Array([0x61]), { source: `test ${made}` });
  const ids = listFds(store).map(({ id }) => id);
  Deno.removeSync(`${store.path}/v2/fds/0000/17.dat`);
  putBytes(store, new Uint8Array([0x62]), { source: "later" });
  assertEquals(listFds(store).map(({ id }) => id), [...ids, 81]);
});

Deno.test("the newest of many fds are listed without reading all records, which are counted by and by", () => {
  using world = temporaryStore();
  const store = world.store;
  for (let id = 1; id < 6000; id++) putBytes(store, Uint8Array.of(0x61), { source: "test" });
  let openCount = 0;
  // A directory that changed just now may change again, and has no listing that holds.
  const shards = `${store.path}/v2/fds`;
  for (const { name } of Deno.readDirSync(shards)) Deno.utimeSync(join(shards, name), 1, 1);
  const putBack = watchDisk((member, call, parameters) => {
    if (member === "open") openCount++;
    return call(...parameters);
  });
  try {
    const first = listNewestFds(store, { most: 20 });
    assertEquals([first.entries.length, first.entries.at(-1)!.id, first.total], [20, 5999, undefined]);
    assert(first.olderCount > 20);
    assert(openCount < 3100, `${openCount} files opened`);
    const before = listNewestFds(store, { most: 20, beforeId: 100 });
    assertEquals(before.entries.map(({ id }) => id), Array.from({ length: 20 }, (_, at) => 80 + at));
  } finally {
    putBack();
  }
  const totals = Array.from({ length: 4 }, () => listNewestFds(store, { most: 20 }).total);
  assertEquals(totals.at(-1), 5999);
  assertEquals(listFds(store).length, 5999);
});
