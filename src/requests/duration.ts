/**
 * Durations as people write them for `--timeout`.
 */

import { failUsage } from "./usage_failure.ts";

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A duration in milliseconds: numbers with a unit (`ms`, `s`, `m`, `h`, `d`) one after the other, or a plain number of
 * seconds. Undefined for anything else.
 *
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(parseDuration("90s"), 90_000);
 * assertEquals(parseDuration("1h30m"), 5_400_000);
 * assertEquals(parseDuration("0.5"), 500);
 * assertEquals(parseDuration("soon"), undefined);
 * ```
 */
export function parseDuration(text: string): number | undefined {
  const number = String.raw`[0-9]{1,12}(?:\.[0-9]{1,6})?`;
  if (new RegExp(`^${number}$`).test(text)) return Number(text) * 1000;
  if (!new RegExp(`^(?:${number}(?:ms|s|m|h|d))+$`).test(text)) return undefined;
  let durationMs = 0;
  for (const [, value, unit] of text.matchAll(new RegExp(`(${number})(ms|s|m|h|d)`, "g"))) {
    durationMs += Number(value) * (UNIT_MS[unit ?? ""] ?? 0);
  }
  return durationMs;
}

/** The longest time, a little less than 25 days: more than a timer can count. */
const LONGEST_TIME_MS = 2 ** 31 - 1;

/** A duration as an option's value, in milliseconds. */
export function durationOf(command: string, option: string, written: string): number {
  const durationMs = parseDuration(written);
  if (durationMs !== undefined && durationMs <= LONGEST_TIME_MS) return durationMs;
  const wanted = "a duration such as 90s, 10m or 1h30m, of at most 24 days";
  return failUsage({ kind: "bad_value", command, option, got: written, wanted });
}

/** When the time limit `--timeout` ends, as `performance.now` counts; undefined if there is none. */
export function deadlineOf(command: string, written: unknown): number | undefined {
  if (typeof written !== "string") return undefined;
  return performance.now() + durationOf(command, "--timeout", written);
}
