// Promise: readers wait for the claim of a record that was just created, and for no other.

import { assert, assertEquals } from "@std/assert";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { putBytes } from "../put/put_bytes.ts";
import { readLog } from "./record_log.ts";
import { recordPath } from "../store/store_paths.ts";

/** Returns how long reading an empty record created at `madeAt` takes, in milliseconds. */
function lookAtEmptyRecord(madeAt: Date): number {
  using world = temporaryStore();
  putBytes(world.store, new Uint8Array(), { source: "test" });
  const path = recordPath(world.store.path, 2);
  Deno.writeFileSync(path, new Uint8Array());
  Deno.utimeSync(path, madeAt, madeAt);
  const startedMs = performance.now();
  assertEquals(readLog(world.store, 2)?.claim, undefined);
  return performance.now() - startedMs;
}

Deno.test("readers do not wait for an empty record dated in the future", () => {
  assert(lookAtEmptyRecord(new Date(Date.UTC(2099))) < 400);
  assert(lookAtEmptyRecord(new Date()) >= 400, "a fresh one is");
});

Deno.test("a stopped clock does not prolong the wait for a claim", () => {
  const realNow = Date.now;
  const standsFrom = realNow();
  // The clock stops for two seconds (as if set back by two), so that even a wait that relies on it ends.
  Date.now = () => standsFrom + Math.max(0, realNow() - standsFrom - 2000);
  try {
    assert(lookAtEmptyRecord(new Date(standsFrom)) < 1500);
  } finally {
    Date.now = realNow;
  }
});
