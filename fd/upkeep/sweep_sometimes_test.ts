// Promise: automatic cleanup runs at most once an hour, and no later because of clock changes.

import { assertEquals } from "@std/assert";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { isSweepDue, sweepSometimes } from "./sweep_sometimes.ts";

const HOUR_MS = 60 * 60 * 1000;

Deno.test("setting the clock back does not stop automatic cleanup", async () => {
  using world = temporaryStore();
  const nowMs = Date.now();
  await sweepSometimes(world.store, nowMs);
  assertEquals(isSweepDue(world.store, nowMs), false);
  assertEquals(isSweepDue(world.store, nowMs + HOUR_MS), true);
  await sweepSometimes(world.store, Date.UTC(2099));
  assertEquals(isSweepDue(world.store, nowMs), true);
  assertEquals((await sweepSometimes(world.store, nowMs))?.removed, []);
  assertEquals(isSweepDue(world.store, nowMs), false);
});
