// Promise: the claim of a record that was made this moment is waited for, and no other.

import { assert, assertEquals } from "@std/assert";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { putBytes } from "../put/put_bytes.ts";
import { readLog } from "./record_log.ts";
import { recordPath } from "../store/store_paths.ts";

/** How long a look at an empty record takes that was made at `madeAt`, in milliseconds. */
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

Deno.test("an empty record that is dated in the future is not waited for", () => {
  assert(lookAtEmptyRecord(new Date(Date.UTC(2099))) < 400);
  assert(lookAtEmptyRecord(new Date()) >= 400, "a fresh one is");
});

Deno.test("a clock that stands still does not make the wait for a claim longer", () => {
  const realNow = Date.now;
  const standsFrom = realNow();
  // It stands for two seconds, as one does that is set back by two, so that a wait by it ends all the same.
  Date.now = () => standsFrom + Math.max(0, realNow() - standsFrom - 2000);
  try {
    assert(lookAtEmptyRecord(new Date(standsFrom)) < 1500);
  } finally {
    Date.now = realNow;
  }
});
