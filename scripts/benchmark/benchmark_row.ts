/**
 * A row of the table: what was compared, the result, and the target.
 */

import type { Turns } from "./measure_turns.ts";

/** The target. `most`: the value may be at most that; `least`: it must be at least that. */
export interface Goal {
  most?: number | undefined;
  least?: number | undefined;
}

/** The measured value and its size. */
export interface SizePoint {
  series: string;
  byteCount: number;
}

/** One row. */
export interface Row {
  group: string;
  name: string;
  peer: string;
  /** `x`: fdtool's median wall time by the peer's; `times`: the other way round; else what the unit says. */
  unit: "x" | "times" | "bytes" | "percent" | "count" | "ms";
  /** Undefined if it could not be measured; `note` says why. */
  value: number | undefined;
  now?: Goal | undefined;
  stretch?: Goal | undefined;
  turns?: Turns | undefined;
  /** The position of the row in a line of the chart of cost by size. */
  point?: SizePoint | undefined;
  note?: string | undefined;
}

/** Whether `value` reaches `goal`; undefined without goal or value. */
export function reaches(value: number | undefined, goal: Goal | undefined): boolean | undefined {
  if (value === undefined || goal === undefined) return undefined;
  return value <= (goal.most ?? Infinity) && value >= (goal.least ?? -Infinity);
}

/** The goals of a row, and what is said with it. */
export type Goals = Partial<Pick<Row, "now" | "stretch" | "note" | "point">>;

/** The rows of a group. */
export function rowsOf(group: string) {
  return {
    /** A row of the usual kind: how many times the peer's wall time fdtool takes. */
    ratio: (name: string, peer: string, turns: Turns, goals: Goals = {}): Row => (
      { group, name, peer, unit: "x", value: turns.ratio, turns, ...goals }
    ),
    /** A row that says how many times faster than the peer fdtool is. */
    times: (name: string, peer: string, turns: Turns, goals: Goals = {}): Row => (
      { group, name, peer, unit: "times", value: 1 / turns.ratio, turns, ...goals }
    ),
    value: (
      name: string,
      peer: string,
      unit: Row["unit"],
      value: number | undefined,
      goals: Goals = {},
    ): Row => ({ group, name, peer, unit, value, ...goals }),
  };
}

/** The goals that a value is at most `now` and, better, at most `stretch`. */
export function atMost(now: number, stretch?: number): Goals {
  return { now: { most: now }, ...(stretch === undefined ? {} : { stretch: { most: stretch } }) };
}

/** The goals that a value is at least `now` and, better, at least `stretch`. */
export function atLeast(now: number, stretch: number): Goals {
  return { now: { least: now }, stretch: { least: stretch } };
}
