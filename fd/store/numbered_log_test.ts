// Promise: a full disk and a kill leave a log that is not reported as damaged.

import { assertEquals, assertThrows } from "@std/assert";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { checkStore } from "../upkeep/check_store.ts";
import { disk } from "../disk/disk.ts";
import { FdError } from "../disk/errors.ts";
import { appendCheckedLine } from "./checked_log.ts";
import { logPath, readLogLines, startLog } from "./numbered_log.ts";
import { markTransaction } from "./transaction_marks.ts";

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

Deno.test("what a killed writer wrote of a line does not count as damage, and is gone once the transaction is ended", async () => {
  using world = temporaryStore();
  const { store } = world;
  const id = startLog(store, "tx", { event: "begin" }, (number) => markTransaction(store, number));
  Deno.writeTextFileSync(logPath(store, "tx", id), '0123abcd {"event":"prepa', { append: true });
  const findings = async () => (await checkStore(store, { repair: false })).findings;
  assertEquals(await findings(), []);
  appendCheckedLine(logPath(store, "tx", id), { event: "rolled_back" }, true, true);
  assertEquals(await findings(), []);
  assertEquals(readLogLines(store, "tx", id), [{ event: "begin", number: id }, { event: "rolled_back" }]);
});
