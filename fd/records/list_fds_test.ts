// Promise: a list has every fd once, in order, whatever other files are in the directory.

import { assertEquals } from "@std/assert";
import { putSlowly, temporaryStore } from "../../tests/temporary_store.ts";
import { listContentIds, listFds, listIds } from "./list_fds.ts";
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
