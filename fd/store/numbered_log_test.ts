// Promise: a full disk leaves a log that is not reported as damaged.

import { assertEquals, assertThrows } from "@std/assert";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { checkStore } from "../upkeep/check_store.ts";
import { disk } from "../disk/disk.ts";
import { FdError } from "../disk/errors.ts";
import { startLog } from "./numbered_log.ts";

Deno.test("a log whose first line hit a full disk, partly or completely, counts as never started", async () => {
  for (const taken of [0, 7]) {
    using world = temporaryStore();
    const { store } = world;
    startLog(store, "inq", { event: "first" });
    const { write } = disk;
    let calls = 0;
    try {
      disk.write = ((file: number, bytes: Uint8Array, ...rest: [number, number, number | null]) => {
        if (bytes.length < 20) return write(file, bytes, ...rest);
        if (calls++ > 0 || taken === 0) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
        return write(file, bytes, 0, taken, null);
      }) as typeof write;
      const thrown = assertThrows(() => startLog(store, "inq", { event: "second" }), FdError);
      assertEquals(thrown.failure.kind, "storage_full");
    } finally {
      disk.write = write;
    }
    assertEquals((await checkStore(store, { repair: false })).findings, []);
    assertEquals(startLog(store, "inq", { event: "third" }), 3);
  }
});
