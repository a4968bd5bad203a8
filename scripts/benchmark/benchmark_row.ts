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

/** A row of the usual kind: how many times the peer's wall time fdtool takes. */
export function ratioRow(
  row: Pick<Row, "group" | "name" | "peer" | "now" | "stretch" | "note" | "point">,
  turns: Turns,
): Row {
  return { ...row, unit: "x", value: turns.ratio, turns };
}

/** A row that says how many times faster than the peer fdtool is. */
export function timesRow(
  row: Pick<Row, "group" | "name" | "peer" | "now" | "stretch" | "note" | "point">,
  turns: Turns,
): Row {
  return { ...row, unit: "times", value: 1 / turns.ratio, turns };
}
