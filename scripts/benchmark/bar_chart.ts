/**
 * Draws a group of rows as horizontal bars. Every bar is scaled by its row's target, so that one vertical line marks the
 * target of all rows, regardless of units: a bar that ends before the line met it.
 */

import type { Goal, Row } from "./benchmark_row.ts";
import { shownGoal, shownValue, verdictOf } from "./report.ts";
import { coordinate, PAGE_WIDTH, svgPage, textAt } from "./svg_page.ts";

const BARS_LEFT = 410;
const BARS_RIGHT = 650;
/** Bars longer than twice the number are cut there; their value is printed beside them. */
const LONGEST_SHARE = 2;
const ROW_HEIGHT = 26;
const FIRST_ROW = 84;

/** `value` as a share of `goal`, such that less is better; undefined if there is no such share. */
export function shareOf(value: number | undefined, goal: Goal | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (goal?.most !== undefined) return goal.most === 0 ? undefined : value / goal.most;
  if (goal?.least !== undefined) return value === 0 ? Infinity : goal.least / value;
  return undefined;
}

function xOf(share: number): number {
  return BARS_LEFT + Math.min(share, LONGEST_SHARE) / LONGEST_SHARE * (BARS_RIGHT - BARS_LEFT);
}

/** The position of `goal` as a share of `now`. */
function goalShare(goal: Goal | undefined, now: Goal | undefined): number | undefined {
  return shareOf(goal?.most ?? goal?.least, now);
}

function barOf(row: Row, top: number): string {
  const verdict = verdictOf(row);
  const share = shareOf(row.value, row.now);
  const stretch = goalShare(row.stretch, row.now);
  const peer = row.peer === "-" ? "" : ` · ${row.peer}`;
  let body = textAt(BARS_LEFT - 12, top + 14, `${row.name}${peer}`, "end");
  if (share !== undefined) {
    const width = Math.max(1, xOf(share) - BARS_LEFT);
    body += `<rect class="bar-${verdict.toLowerCase()}" x="${BARS_LEFT}" y="${top + 3}" width="${
      coordinate(width)
    }" height="14"/>\n`;
  }
  if (stretch !== undefined) body += upright("stretch-goal", xOf(stretch), top, top + 20);
  const goal = row.now === undefined ? "no goal" : shownGoal(row.now, row.unit);
  const look = verdict === "MISSED" ? "missed" : row.now === undefined ? "quiet" : "";
  return body + textAt(BARS_RIGHT + 12, top + 14, `${shownValue(row)} (${goal}) ${verdict}`.trimEnd(), look);
}

function upright(look: string, x: number, top: number, bottom: number): string {
  return `<line class="${look}" x1="${coordinate(x)}" x2="${coordinate(x)}" y1="${top}" y2="${bottom}"/>\n`;
}

/** The rows as a chart; `below` says when and where they were measured. */
export function barChart(title: string, below: string, rows: readonly Row[]): string {
  const bottom = FIRST_ROW + rows.length * ROW_HEIGHT;
  const now = xOf(1);
  const body = rows.map((row, index) => barOf(row, FIRST_ROW + index * ROW_HEIGHT)).join("") +
    upright("goal", now, FIRST_ROW - 6, bottom) +
    textAt(now, FIRST_ROW - 12, "target", "quiet middle") +
    textAt(BARS_LEFT - 12, FIRST_ROW - 12, "shorter is better · dashed: stretch", "quiet end") +
    textAt(
      PAGE_WIDTH - 16,
      bottom + 20,
      "values in each row's own unit; ratios are to the peer named",
      "quiet end",
    );
  return svgPage(title, below, bottom + 36, body);
}
