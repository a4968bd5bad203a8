/**
 * Counts events by day (UTC): each is a line, appended to the day's file of a log, so that processes count at the same time
 * and a kill loses nothing.
 */

import { constants, readFileSync } from "node:fs";
import { disk } from "./disk.ts";
import { ifPossible, systemCode } from "./errors.ts";
import { unlinkIfExists } from "./file_calls.ts";
import { makePrivateDirectory, NO_FOLLOW, openPrivate } from "./private_files.ts";

/** Days with events that are kept of a log. */
const KEPT_DAYS = 2;
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | NO_FOLLOW;

/** Counts an event; nothing if `directory` is in none, or the disk refuses. `what` has no space. */
export function countToday(directory: string, log: string, what: string, byteCount: number): void {
  ifPossible(() => {
    const path = `${directory}/${log}-${dayOf(Date.now())}`;
    let file: number;
    try {
      file = openPrivate(path, APPEND);
    } catch (thrown) {
      if (systemCode(thrown) !== "ENOENT") throw thrown;
      makePrivateDirectory(directory);
      file = openPrivate(path, APPEND);
    }
    try {
      if (disk.fstat(file).size === 0) dropOld(directory, log);
      disk.write(file, new TextEncoder().encode(`${what} ${byteCount}\n`));
    } finally {
      disk.close(file);
    }
  });
}

/** Events of today by what they are, and when the last one of any day was. */
export interface DayCounts {
  counts: Map<string, { count: number; byteCount: number }>;
  lastMs: number | undefined;
}

export function countsOfToday(directory: string, log: string): DayCounts {
  const counts: DayCounts["counts"] = new Map();
  const newest = ifPossible(() => filesOf(directory, log).at(-1));
  if (newest === undefined) return { counts, lastMs: undefined };
  const text = newest.endsWith(dayOf(Date.now())) ? readFileSync(newest, "utf8") : "";
  for (const line of text.split("\n")) {
    const [what, bytes] = line.split(" ");
    // A line that a full disk cut off.
    if (!what || !/^\d+$/.test(bytes ?? "")) continue;
    const { count, byteCount } = counts.get(what) ?? { count: 0, byteCount: 0 };
    counts.set(what, { count: count + 1, byteCount: byteCount + Number(bytes) });
  }
  return { counts, lastMs: disk.stat(newest, { throwIfNoEntry: false })?.mtimeMs };
}

function dropOld(directory: string, log: string): void {
  for (const path of filesOf(directory, log).slice(0, -KEPT_DAYS)) unlinkIfExists(path);
}

/** The files of a log, oldest first. */
function filesOf(directory: string, log: string): string[] {
  const names = (disk.readdir(directory) as string[]).filter((name) => name.startsWith(`${log}-`));
  return names.sort().map((name) => `${directory}/${name}`);
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
