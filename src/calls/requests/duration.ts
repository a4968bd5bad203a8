/**
 * Durations as people write them for `--timeout`.
 */

import { parseDuration } from "../../../fd/mod.ts";
import { failValue } from "./usage_failure.ts";

/** The longest time, a little less than 25 days: more than a timer can count. */
const LONGEST_TIME_MS = 2 ** 31 - 1;

/** A duration as an option's value, in milliseconds. */
export function durationOf(command: string, option: string, written: string): number {
  const durationMs = parseDuration(written, "s");
  if (durationMs !== undefined && durationMs <= LONGEST_TIME_MS) return durationMs;
  return failValue(command, option, written, "a duration such as 90s, 10m or 1h30m, of at most 24 days");
}

/** An age as an option's value, in milliseconds. */
export function ageOf(command: string, option: string, written: string): number {
  return parseDuration(written, "s") ??
    failValue(command, option, written, "an age such as 90s, 10m, 2h or 7d");
}

/** When the time limit `--timeout` ends, as `performance.now` counts; undefined if there is none. */
export function deadlineOf(command: string, written: unknown): number | undefined {
  if (typeof written !== "string") return undefined;
  return performance.now() + durationOf(command, "--timeout", written);
}
