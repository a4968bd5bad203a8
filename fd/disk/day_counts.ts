/**
 * Counts events by day (UTC): each is a line, appended to the day's file of a log, so that processes count at the same time
 * and a kill loses nothing.
 */

import { constants, readFileSync } from "node:fs";
import { disk } from "./disk.ts";
import { ifPossible } from "./errors.ts";
import { inFile, unlinkIfExists } from "./file_calls.ts";
import { makePrivateDirectory, NO_FOLLOW, openPrivate } from "./private_files.ts";

const APPEND = constants.O_RDWR | constants.O_APPEND | NO_FOLLOW;

/**
 * Counts an event; nothing if `directory` is in none, or the disk refuses. `what` has no space. `days` with events are kept of a
 * log, and of each at most `dayBytes`.
 */
export function countToday(
  directory: string,
  log: string,
  what: string,
  count: number,
  { days, dayBytes } = { days: 2, dayBytes: Infinity },
): void {
  ifPossible(() => {
    const path = `${directory}/${log}-${dayOf(Date.now())}`;
    const known = ifPossible(() => disk.open(path, APPEND), "ENOENT");
    if (known === undefined) makePrivateDirectory(directory);
    inFile(known ?? openPrivate(path, APPEND | constants.O_CREAT), (file) => {
      if (known === undefined) filesOf(directory, log).slice(0, -days).forEach(unlinkIfExists);
      // Reading the last byte that a day may have costs less than asking for the file's size.
      const isFull = dayBytes < Infinity && disk.read(file, new Uint8Array(1), 0, 1, dayBytes - 1) > 0;
      if (!isFull) disk.write(file, `${what} ${count}\n`);
    });
  });
}

/** Counts the events of today by what they are, and says when the last one of any day was. */
export function countsOfToday(directory: string, log: string) {
  const counts = new Map<string, { count: number; byteCount: number }>();
  const newest = ifPossible(() => filesOf(directory, log).at(-1));
  if (newest === undefined) return { counts, lastMs: undefined };
  for (const [what, bytes] of newest.endsWith(dayOf(Date.now())) ? linesOf(newest) : []) {
    const { count, byteCount } = counts.get(what) ?? { count: 0, byteCount: 0 };
    counts.set(what, { count: count + 1, byteCount: byteCount + bytes });
  }
  return { counts, lastMs: disk.stat(newest, { throwIfNoEntry: false })?.mtimeMs };
}

/** The events of each day that is kept, the oldest first. */
export function* eventsByDay(directory: string, log: string): Iterable<[day: string, events: Events]> {
  for (const path of ifPossible(() => filesOf(directory, log)) ?? []) {
    yield [path.slice(-"2026-01-31".length), ifPossible(() => linesOf(path)) ?? []];
  }
}

type Events = readonly (readonly [what: string, count: number])[];

function linesOf(path: string): Events {
  return readFileSync(path, "utf8").split("\n").flatMap((line) => {
    const [what = "", count = "", ...more] = line.split(" ");
    // A line that a full disk cut off has none, or runs into the next one.
    return what === "" || more.length > 0 || !/^\d+$/.test(count) ? [] : [[what, Number(count)] as const];
  });
}

/** The files of a log, oldest first. */
function filesOf(directory: string, log: string): string[] {
  const paths: string[] = [];
  for (const name of disk.readdir(directory) as string[]) {
    if (name.startsWith(`${log}-`)) paths.push(`${directory}/${name}`);
  }
  return paths.sort();
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
