/**
 * Estimates the time for cleanup. A clock that is wrong for one call (no battery, a wrong time server, a test) would
 * make everything too old at once. So the store records the clock at each cleanup, and the machine's uptime: time is
 * assumed to pass no faster than uptime. After a jump, the clock is trusted again once it has advanced evenly for a
 * week.
 */

import { constants } from "node:fs";
import { uptime } from "node:os";
import { disk } from "../disk/disk.ts";
import { ifPossible } from "../disk/errors.ts";
import { NO_FOLLOW, writePrivate } from "../disk/private_files.ts";
import { encodeCheckedLine, lastCheckedLine, readCheckedLog } from "../store/checked_log.ts";
import type { Store } from "../store/open_store.ts";
import { clockPath } from "../store/further_paths.ts";
import { sweptPath } from "../store/store_paths.ts";
import { thisWriter } from "../store/writer_identity.ts";

/** The record of the last cleanup. */
export interface ClockNote extends ReturnType<typeof machineTime> {
  /** The estimated time. */
  believedMs: number;
  /** The clock when it last jumped, or at the first cleanup. */
  evenSinceMs: number;
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Tolerance for correctly set clocks. */
const SLACK_MS = HOUR_MS;
/** Maximum time assumed to have passed if the actual duration is unknown. */
const UNKNOWN_MS = DAY_MS;
/** After a jump, the clock is trusted once it has advanced evenly for this long. */
const EVEN_MS = 7 * DAY_MS;

/** Returns the machine's clock, which is `nowMs`, its uptime, and its boot id; undefined if the system has none. */
export function machineTime(nowMs: number) {
  return { nowMs, runningMs: Math.floor(uptime() * 1000), boot: thisWriter().boot };
}

/**
 * Returns the next note, including the estimated time, which is never later than the clock. Without a note, starts
 * from `lastSeenMs`: when the store was last used, as far as known.
 */
export function nextNote(
  time: ReturnType<typeof machineTime>,
  note: ClockNote | undefined,
  lastSeenMs: number,
): ClockNote {
  const { nowMs } = time;
  const before = note ?? { nowMs: lastSeenMs, believedMs: lastSeenMs, evenSinceMs: lastSeenMs };
  const isSameStart = note !== undefined && time.boot !== undefined && note.boot === time.boot &&
    time.runningMs >= note.runningMs;
  const possibleMs = isSameStart ? time.runningMs - note.runningMs + SLACK_MS : UNKNOWN_MS;
  const passedMs = nowMs - before.nowMs;
  const isEven = passedMs >= -SLACK_MS && passedMs <= possibleMs;
  const evenSinceMs = isEven ? before.evenSinceMs : nowMs;
  const isTrusted = isEven && nowMs - evenSinceMs >= EVEN_MS;
  const advancedMs = before.believedMs + Math.min(Math.max(passedMs, 0), possibleMs);
  return { ...time, evenSinceMs, believedMs: isTrusted ? nowMs : Math.min(nowMs, advancedMs) };
}

/** Reads the note; returns undefined if it is missing or damaged. */
export function readClockNote(store: Store): ClockNote | undefined {
  const note = ifPossible(() => lastCheckedLine(readCheckedLog(clockPath(store.path), "the clock")));
  return note !== undefined && "believedMs" in note ? note as ClockNote : undefined;
}

/** Returns when the store last cleaned itself, or undefined if never. */
export function sweptMs(store: Store): number | undefined {
  return ifPossible(() => disk.stat(sweptPath(store.path), { throwIfNoEntry: false })?.mtimeMs);
}

/** Writes the note. Ignores failures: the previous note stays, so cleanup is at worst too cautious. */
export function writeClockNote(store: Store, note: ClockNote): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | NO_FOLLOW;
  ifPossible(() => writePrivate(clockPath(store.path), encodeCheckedLine(note), { flags }));
}
