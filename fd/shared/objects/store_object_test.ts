// Promise: a shared store is made once, whichever hosts come first, and its limits hold for all of them.

import { assertEquals, assertRejects } from "@std/assert";
import { SimulatedFleet } from "../../../scripts/fleet/simulated_fleet.ts";
import { utf8Bytes } from "../../bytes/utf8_bytes.ts";
import { FdError } from "../../disk/errors.ts";
import { encodeCheckedLine } from "../../store/checked_log.ts";
import { STORE_KEY } from "./shared_keys.ts";
import { changeLimits, openShared, readSharedStore } from "./store_object.ts";

Deno.test("of hosts that make a store at the same time, all open the same one", async () => {
  const fleet = new SimulatedFleet({ seed: 1, faults: { "answer lost": 0.2 } });
  const ids = new Set<string>();
  const hosts = Array.from({ length: 20 }, (_, number) => async () => {
    const id = String(number).padStart(24, "0");
    ids.add((await openShared(fleet.host(), { id, quotaBytes: 5, ttlMs: 6 })).id);
  });
  await fleet.time.run([...hosts, async () => {
    await fleet.time.pause(60_000);
    await changeLimits(fleet.host(), { quotaBytes: 7, ttlMs: 8 });
    const { id, quotaBytes, ttlMs } = (await readSharedStore(fleet.host()))!;
    assertEquals([[...ids], quotaBytes, ttlMs], [[id], 7, 8]);
  }]);
});

Deno.test("a damaged store object, or one of a later version, is refused", async () => {
  for (const bytes of [utf8Bytes("{}"), encodeCheckedLine({ format: "fdtool-shared", version: 2 })]) {
    const fleet = new SimulatedFleet({ seed: 1 });
    fleet.server.damage(STORE_KEY, bytes);
    await fleet.time.run([async () => {
      await assertRejects(() => readSharedStore(fleet.host()), FdError, "store_corrupt");
    }]);
  }
});
