/**
 * How late it is, as far as cleaning believes the clock. A clock that is wrong for one call (no battery, a bad time
 * server, a test) would make everything old at once. So the store notes what the clock said when it was last cleaned,
 * and
 * how long the machine was running: time passes no faster than that. A clock that jumps is believed again once it
 * went on
 * evenly for a week.
 *
 * @module
 */

import { constants } from "node:fs";
import { uptime } from "node:os";
import { blockSumText } from "../bytes/block_sum.ts";
import { utf8Bytes, utf8Text } from "../bytes/utf8_bytes.ts";
import { closeReader } from "../disk/close_reader.ts";
import { disk } from "../disk/disk.ts";
import { failureOfSystem, systemCode } from "../disk/errors.ts";
import { NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import { writeWhole } from "../disk/write_whole.ts";
import type { Store } from "../store/open_store.ts";
import { clockPath, sweptPath } from "../store/store_paths.ts";
import { thisWriter } from "../store/writer_identity.ts";

/** What a machine says of time: its clock, and how long it has run since which start. */
export interface MachineTime {
  /** Milliseconds since 1970. */
  nowMs: number;
  /** Milliseconds since the machine started. */
  runningMs: number;
  /** Which start that was; undefined where the system does not say. */
  boot: string | undefined;
}

/** What the store noted when it was last cleaned. */
export interface ClockNote extends MachineTime {
  /** How late it was believed to be. */
  believedMs: number;
  /** What the clock said when it last jumped, or the first time. */
  evenSinceMs: number;
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Clocks that are set right are off by less than this. */
const SLACK_MS = HOUR_MS;
/** Where it is not known how long it was, it may have been this long. */
const UNKNOWN_MS = DAY_MS;
/** A clock that jumped is believed once it went on evenly for this long. */
const EVEN_MS = 7 * DAY_MS;

/** What this machine says of time, `nowMs` being its clock. */
export function machineTime(nowMs: number): MachineTime {
  return { nowMs, runningMs: Math.floor(uptime() * 1000), boot: thisWriter().boot };
}

/**
 * What to note now, and so how late to believe it is: never later than the clock says. `lastSeenMs` stands in where
 * there
 * is no note: when the store was last used, as far as is known.
 */
export function nextNote(time: MachineTime, note: ClockNote | undefined, lastSeenMs: number): ClockNote {
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

/** What was noted; of a store that has no note, when it last cleaned itself, or undefined. */
export function readClockNote(store: Store): ClockNote | undefined {
  let file;
  try {
    file = disk.open(clockPath(store.path), constants.O_RDONLY | NO_FOLLOW);
    const bytes = new Uint8Array(256);
    const text = utf8Text(bytes.subarray(0, disk.read(file, bytes, 0, bytes.length, 0)));
    return parseNote(text);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return undefined;
  } finally {
    if (file !== undefined) closeReader(file);
  }
}

/** When the store last cleaned itself, by the date of its mark; undefined where it never did. */
export function sweptMs(store: Store): number | undefined {
  try {
    return disk.stat(sweptPath(store.path), { throwIfNoEntry: false })?.mtimeMs;
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return undefined;
  }
}

const NOTE = /^(\d{1,16}) (\d{1,16}) (\d{1,16}) (\d{1,16}) (\S{1,64})$/;

function parseNote(text: string): ClockNote | undefined {
  const [line, sum] = [text.slice(0, -10), text.slice(-9, -1)];
  const match = NOTE.exec(line);
  if (match === null || sum !== blockSumText(utf8Bytes(line))) return undefined;
  const [believedMs, nowMs, evenSinceMs, runningMs] = match.slice(1, 5).map(Number) as [
    number,
    number,
    number,
    number,
  ];
  return { believedMs, nowMs, evenSinceMs, runningMs, boot: match[5] === "-" ? undefined : match[5] };
}

/** Writes the note down. Where that fails, the one before holds: cleaning is then too careful, at worst. */
export function writeClockNote(store: Store, note: ClockNote): void {
  const whole = (ms: number) => String(Math.max(0, Math.floor(ms)));
  const line = [
    ...[note.believedMs, note.nowMs, note.evenSinceMs, note.runningMs].map(whole),
    note.boot ?? "-",
  ].join(" ");
  const path = clockPath(store.path);
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | NO_FOLLOW;
    const file = openPrivate(path, flags);
    try {
      writeWhole(file, utf8Bytes(`${line} ${blockSumText(utf8Bytes(line))}\n`));
    } finally {
      closeReader(file);
    }
  } catch (thrown) {
    failureOfSystem(thrown, "write", "note the time", path);
  }
}
