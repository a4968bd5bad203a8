// Promise: automatic cleanup runs at most once an hour, and no later because of clock changes.

import { assertEquals } from "@std/assert";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { putBytes } from "../put/put_bytes.ts";
import { contentPath } from "../store/store_paths.ts";
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

Deno.test("automatic cleanup packs large content that was not read for a day", async () => {
  using world = temporaryStore();
  const { store } = world;
  const nowMs = Date.now();
  await sweepSometimes(store, nowMs - 2 * HOUR_MS);
  const large = new TextEncoder().encode("a line of a log\n".repeat(70_000));
  const contents = [large, large, large.subarray(0, 100_000)];
  for (const bytes of contents) putBytes(store, bytes, { source: "test" });
  const longAgo = (nowMs - 30 * HOUR_MS) / 1000;
  for (const id of [2, 3]) Deno.utimeSync(contentPath(store.path, id), longAgo, longAgo);
  assertEquals((await sweepSometimes(store, nowMs))?.packing?.packedCount, 1);
  const isPlain = (id: number) =>
    [...Deno.readDirSync(`${store.path}/v2/fds/0000`)].some(({ name }) => name === `${id}.dat`);
  assertEquals([1, 2, 3].map(isPlain), [true, false, true]);
});
