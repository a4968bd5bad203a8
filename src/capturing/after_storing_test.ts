// Promise: a jumping clock empties no store, and automatic cleaning reports that it waits.

import { assertEquals } from "@std/assert";
import { findFd, putBytes } from "../../fd/mod.ts";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { sweepStore } from "./after_storing.ts";

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

Deno.test("automatic cleaning keeps everything and reports it if the clock jumped", async () => {
  using world = temporaryStore();
  const { store } = world;
  const entry = putBytes(store, new TextEncoder().encode("kept\n"), { source: "test" });
  const later = putBytes(store, new TextEncoder().encode("new\n"), { source: "test" });
  const stored = [{ store, entry: later }];
  assertEquals(await sweepStore(stored), []);
  const { now } = Date;
  Date.now = () => now() + 75 * YEAR_MS;
  try {
    const [failure] = await sweepStore(stored);
    assertEquals(failure?.kind === "clock_doubted" ? failure.doubtedCount : failure, 1);
  } finally {
    Date.now = now;
  }
  assertEquals(findFd(store, "fd:1").byteCount, entry.byteCount);
});
