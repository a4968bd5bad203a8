// Promise: readers wait for the claim of a record that was just created, and for no other.

import { assert, assertEquals } from "@std/assert";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { putBytes } from "../put/put_bytes.ts";
import { readLog } from "./record_log.ts";
import { recordPath } from "../store/store_paths.ts";

/**
 * Reads an empty record that was created so much later than now, and returns how often that looked at the monotonic clock,
 * on which each look takes 100 ms. The other clock stops.
 */
function looksAtEmptyRecord(aheadMs: number): number {
  using world = temporaryStore();
  putBytes(world.store, new Uint8Array(), { source: "test" });
  const path = recordPath(world.store.path, 2);
  Deno.writeFileSync(path, new Uint8Array());
  const now = Date.now();
  Deno.utimeSync(path, new Date(now + aheadMs), new Date(now + aheadMs));
  const [dateNow, performanceNow] = [Date.now, performance.now];
  let lookCount = 0;
  let dateCount = 0;
  Date.now = () => {
    assert(dateCount++ < 1000, "it waits by a clock that stopped");
    return now;
  };
  performance.now = () => 100 * lookCount++;
  try {
    assertEquals(readLog(world.store, 2)?.claim, undefined);
    return lookCount;
  } finally {
    Date.now = dateNow;
    performance.now = performanceNow;
  }
}

Deno.test("readers do not wait for an empty record dated in the future", () => {
  assertEquals(looksAtEmptyRecord(3_600_000), 0);
});

Deno.test("readers wait for the claim of a fresh record, also if the clock stops", () => {
  assert(looksAtEmptyRecord(0) > 2);
});
