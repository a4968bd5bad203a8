// Promise: a clock that jumps does not age the store; a clock that advances evenly, or in line with uptime, does.

import { assert, assertEquals } from "@std/assert";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { putBytes } from "../put/put_bytes.ts";
import { listFds } from "../records/list_fds.ts";
import { type ClockNote, machineTime, nextNote, readClockNote, writeClockNote } from "./believed_clock.ts";
import { collectGarbage } from "./collect_garbage.ts";
import { BACKUP_SOURCE } from "../records/record_line.ts";
import { sweepSometimes } from "./sweep_sometimes.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 0, 1);
const FAR_MS = Date.UTC(2100);
const bytes = new Uint8Array(10).fill(65);

Deno.test("a wrong clock in one call removes nothing, not even with recent backups", async () => {
  using world = temporaryStore();
  const { store } = world;
  await sweepSometimes(store, Date.now());
  for (const source of ["run", BACKUP_SOURCE]) putBytes(store, bytes, { source });
  for (
    const nowMs of [FAR_MS, FAR_MS + 2 * HOUR_MS, Date.UTC(1971), FAR_MS + DAY_MS, Date.now() + 2 * HOUR_MS]
  ) {
    assertEquals((await sweepSometimes(store, nowMs))?.removed, [], new Date(nowMs).toISOString());
  }
  const report = await collectGarbage(store, { dryRun: false, nowMs: FAR_MS });
  assertEquals([report.removed, report.doubtedCount], [[], 2]);
  assert(report.clockAheadMs > 70 * 365 * DAY_MS);
  const dry = await collectGarbage(store, { dryRun: true, nowMs: FAR_MS, trustClock: true });
  assertEquals([dry.removed.length, dry.doubtedCount], [2, 0]);
  await collectGarbage(store, { dryRun: false, nowMs: FAR_MS, trustClock: true });
  assertEquals(listFds(store), []);
});

Deno.test("the first cleanup of a store without a note under a wrong clock removes nothing", async () => {
  using world = temporaryStore();
  putBytes(world.store, bytes, { source: "run" });
  const report = await collectGarbage(world.store, { dryRun: false, nowMs: FAR_MS });
  assertEquals([report.removed, report.doubtedCount], [[], 1]);
});

Deno.test("an fd created under a clock at 1970 is not older than those before it", async () => {
  using world = temporaryStore();
  const { store } = world;
  const { now } = Date;
  const putAt = (nowMs: number) => {
    Date.now = () => nowMs;
    try {
      putBytes(store, bytes, { source: "run" });
    } finally {
      Date.now = now;
    }
  };
  putAt(START_MS);
  putAt(Date.UTC(1970, 0, 2));
  putAt(START_MS + 40 * DAY_MS);
  // An fd from a clock at 2100 is not younger than those created after it.
  putAt(FAR_MS);
  putAt(START_MS + 50 * DAY_MS);
  const removedAt = async (days: number) => {
    const nowMs = START_MS + days * DAY_MS;
    return (await collectGarbage(store, { dryRun: true, nowMs, trustClock: true })).removed.map(({ id }) =>
      id
    );
  };
  assertEquals(await removedAt(29), []);
  assertEquals(await removedAt(31), [1, 2]);
  assertEquals(await removedAt(71), [1, 2, 3]);
  assertEquals(await removedAt(81), [1, 2, 3, 4, 5]);
});

/** Returns the note after cleanups at these times. */
function believed(
  start: ClockNote,
  times: readonly [hours: number, runningHours: number, boot: string][],
): ClockNote {
  return times.reduce(
    (note, [hours, runningHours, boot]) =>
      nextNote({ nowMs: START_MS + hours * HOUR_MS, runningMs: runningHours * HOUR_MS, boot }, note, 0),
    start,
  );
}

const start: ClockNote = {
  nowMs: START_MS,
  believedMs: START_MS,
  evenSinceMs: START_MS,
  runningMs: 0,
  boot: "a",
};
const hoursIn = (note: ClockNote) => (note.believedMs - START_MS) / HOUR_MS;

Deno.test("the estimate advances with uptime, or by up to a day after a reboot", () => {
  assertEquals(hoursIn(believed(start, [[1, 1, "a"]])), 1);
  // Unused for two months, but running.
  assertEquals(hoursIn(believed(start, [[1440, 1440, "a"]])), 1440);
  assertEquals(hoursIn(believed(start, [[20, 1, "b"]])), 20);
  assertEquals(hoursIn(believed(start, [[1440, 1, "b"]])), 24);
  // A clock far ahead counts for no more than the uptime plus an hour.
  assertEquals(hoursIn(believed(start, [[600_000, 2, "a"]])), 3);
  // Set back later: the estimate is never later than the clock.
  assertEquals(hoursIn(believed(start, [[600_000, 2, "a"], [3, 3, "a"]])), 3);
  assertEquals(hoursIn(believed(start, [[-500, 2, "a"]])), -500);
});

Deno.test("a jump is trusted after a week of even advance, and not if the clock jumps again", () => {
  const evenly = (from: number, days: number, running: number): [number, number, string][] =>
    Array.from({ length: days }, (_, day) => [from + 24 * (day + 1), running + 24 * (day + 1), "b"]);
  const jumped: [number, number, string] = [1440, 1, "b"];
  assertEquals(hoursIn(believed(start, [jumped, ...evenly(1440, 6, 1)])), 24 * 7);
  assertEquals(hoursIn(believed(start, [jumped, ...evenly(1440, 7, 1)])), 1440 + 24 * 7);
  const again = believed(start, [jumped, ...evenly(1440, 6, 1), [9000, 146, "b"], ...evenly(9000, 6, 146)]);
  assert(hoursIn(again) < 24 * 15, String(hoursIn(again)));
});

Deno.test("the note reads back as written, and a damaged one counts as missing", () => {
  using world = temporaryStore();
  const { store } = world;
  putBytes(store, bytes, { source: "run" });
  assertEquals(readClockNote(store), undefined);
  const note = { ...machineTime(START_MS), believedMs: START_MS - 5, evenSinceMs: START_MS - 9 };
  writeClockNote(store, note);
  assertEquals(readClockNote(store), note);
  const path = `${store.path}/v2/clock`;
  Deno.writeTextFileSync(path, Deno.readTextFileSync(path).replace('believedMs":1', 'believedMs":2'));
  assertEquals(readClockNote(store), undefined);
});
