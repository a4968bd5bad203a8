// Promise: what a listing has cached changes no list, whatever happened in the shard since it was written.

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { beginPut } from "../put/put.ts";
import { putBytes } from "../put/put_bytes.ts";
import type { Store } from "../store/open_store.ts";
import { listingPath } from "../store/further_paths.ts";
import { removeFd } from "../upkeep/remove_fd.ts";
import { findFd } from "./find_fd.ts";
import { listFds, listLiveFds, listNewestFds } from "./list_fds.ts";
import { openListing } from "./shard_listing.ts";

const TEXT = new TextEncoder().encode("one\n");

function putMany(store: Store, count: number): void {
  for (let made = 0; made < count; made++) putBytes(store, TEXT, { source: "test" });
}

const shardOf = (store: Store) => `${store.path}/v2/fds/0000`;

let agedMs = 1_700_000_000_000;

/** Makes the shard look as if its last change was long ago, each time at another moment. */
function age(store: Store): void {
  agedMs += 1000;
  Deno.utimeSync(shardOf(store), new Date(agedMs), new Date(agedMs));
}

function isCurrent(store: Store): boolean {
  const { mtime } = Deno.statSync(shardOf(store));
  return openListing(store, "0000")?.isCurrent(mtime!.getTime()) === true;
}

const seen = (store: Store) =>
  listFds(store).map(({ id, state, sum, contentPath }) => [id, state, sum, contentPath]);
const idsIn = (store: Store) => listFds(store).map(({ id }) => id);

/** The list without any listing. */
function idsInRecords(store: Store): number[] {
  Deno.removeSync(listingPath(store.path, "0000"));
  return idsIn(store);
}

Deno.test("the listing of a shard whose ids are all claimed is current until the directory changes", async () => {
  using world = temporaryStore();
  const { store } = world;
  putMany(store, 998);
  const put = beginPut(store, { source: "live" });
  age(store);
  assertEquals([listFds(store).at(-1)?.state, isCurrent(store)], ["live", true]);
  assertEquals(listLiveFds(store).map(({ id }) => id), [999], "without the records of the others");
  put.seal();
  assertEquals(listLiveFds(store), []);
  age(store);
  assertEquals(listFds(store).at(-1)?.state, "sealed");
  assertEquals(isCurrent(store), true);
  const current = Deno.readFileSync(listingPath(store.path, "0000"));

  await removeFd(store, findFd(store, "fd:500"), "test");
  // As written by a list that read the record before the removal.
  Deno.writeFileSync(listingPath(store.path, "0000"), current);
  assertEquals(isCurrent(store), false);
  assertEquals(idsIn(store).includes(500), false);

  age(store);
  assertEquals([listNewestFds(store, { most: 3 }).total, isCurrent(store)], [998, true]);
  Deno.removeSync(`${shardOf(store)}/7.rec`);
  assertEquals(idsIn(store).includes(7), false);
  assertEquals(idsIn(store), idsInRecords(store));
});

Deno.test("a listing of a shard with ids to claim is never current", () => {
  using world = temporaryStore();
  const { store } = world;
  putMany(store, 100);
  age(store);
  assertEquals([idsIn(store).length, isCurrent(store)], [100, false]);
});

Deno.test("a damaged part of a listing is read from the records", () => {
  using world = temporaryStore();
  const { store } = world;
  putMany(store, 150);
  const before = seen(store);
  const path = listingPath(store.path, "0000");
  const listing = Deno.readTextFileSync(path);
  Deno.writeTextFileSync(path, listing.replace('"id":120,', '"id":121,'));
  assertEquals(seen(store), before);
  Deno.truncateSync(path, listing.indexOf("\n") + 1);
  assertEquals(seen(store), before);
});

Deno.test("the newest fds are the last of all", async () => {
  using world = temporaryStore();
  const { store } = world;
  putMany(store, 260);
  listFds(store);
  for (const id of [3, 99, 100, 259]) await removeFd(store, findFd(store, `fd:${id}`), "test");
  listFds(store);
  putMany(store, 5);
  const all = listFds(store);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 300 }), (most, beforeId) => {
      const older = all.filter(({ id }) => id < beforeId);
      assertEquals(listNewestFds(store, { most, beforeId }), {
        entries: older.slice(-most),
        total: all.length,
        olderCount: older.length,
      });
    }),
  );
});
