import { assertEquals } from "@std/assert";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { claimFd, highestId } from "./claim_id.ts";
import { disk } from "../disk/disk.ts";
import type { Store } from "./open_store.ts";
import { FD_NUMBERS, numberPath } from "./store_paths.ts";

function claim(store: Store): number {
  const { id, recordFile } = claimFd(store, "test");
  disk.close(recordFile);
  return id;
}

Deno.test("ids count up from 1 without gaps, whatever the hint says (law 4)", () => {
  using world = temporaryStore();
  const { store } = world;
  const claimed: number[] = [];
  const hints = [
    undefined,
    "",
    "000000000000001",
    "000000000099999",
    "banana",
    "000000000000007",
    "999999999999999",
  ];
  for (const hint of [...hints, ...hints, ...hints]) {
    if (hint !== undefined && claimed.length > 0) {
      Deno.writeTextFileSync(numberPath(store.path, FD_NUMBERS.hint), hint);
    }
    claimed.push(claim(store));
  }
  assertEquals(claimed, claimed.map((_, at) => at + 1));
  assertEquals(highestId(store), claimed.length);
});

Deno.test("an id with only a record left is not reused", () => {
  using world = temporaryStore();
  const { store } = world;
  for (let each = 0; each < 5; each++) claim(store);
  Deno.removeSync(numberPath(store.path, FD_NUMBERS.hint));
  assertEquals(claim(store), 6);
});

Deno.test("a new shard starts when the previous one is full", () => {
  using world = temporaryStore();
  const { store } = world;
  for (let id = 1; id <= 1001; id++) assertEquals(claim(store), id);
  assertEquals([...Deno.readDirSync(`${store.path}/v2/fds`)].map((entry) => entry.name).sort(), [
    "0000",
    "0001",
  ]);
});
