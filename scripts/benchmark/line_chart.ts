/**
 * Draws time by size, both logarithmic: constant time is a level line, linear time rises by a decade per decade.
 */

import type { Row } from "./benchmark_row.ts";
import { coordinate, PAGE_WIDTH, svgPage, textAt } from "./svg_page.ts";

const LEFT = 70;
const RIGHT = 700;
const TOP = 70;
const BOTTOM = 390;
/** So far apart are the names of lines, at least. */
const NAME_HEIGHT = 16;

/** A point of a line. */
export interface SizedTime {
  byteCount: number;
  wallMs: number;
}

/** The points of each series, by size. */
export function seriesOf(rows: readonly Row[]): Map<string, SizedTime[]> {
  const series = new Map<string, SizedTime[]>();
  for (const { point, turns } of rows) {
    if (point === undefined || turns === undefined) continue;
    const points = series.get(point.series) ?? [];
    points.push({ byteCount: point.byteCount, wallMs: turns.ours.wallMs });
    series.set(point.series, points.sort((a, b) => a.byteCount - b.byteCount));
  }
  return series;
}

/** `tops` moved down as little as keeps each `height` below the one before, in their order. */
export function spreadOut(tops: readonly number[], height: number): number[] {
  const order = tops.map((top, index) => ({ top, index })).sort((a, b) => a.top - b.top);
  const moved = [...tops];
  let lowest = -Infinity;
  for (const { top, index } of order) {
    lowest = Math.max(top, lowest + height);
    moved[index] = lowest;
  }
  return moved;
}

/** A size in its unit. */
export function sizeName(byteCount: number): string {
  return byteCount >= 2 ** 30 ? `${byteCount / 2 ** 30} GiB` : `${byteCount / 2 ** 20} MiB`;
}

function timeName(wallMs: number): string {
  return wallMs >= 1000 ? `${wallMs / 1000} s` : `${wallMs} ms`;
}

/** The rows that have a point, as a chart; `below` says when and where they were measured. */
export function lineChart(title: string, below: string, rows: readonly Row[]): string {
  const series = seriesOf(rows);
  const points = [...series.values()].flat();
  const sizes = [...new Set(points.map(({ byteCount }) => byteCount))].sort((a, b) => a - b);
  const times = points.map(({ wallMs }) => Math.log10(wallMs));
  const [lowest, highest] = [Math.floor(Math.min(...times)), Math.ceil(Math.max(...times))];
  const [smallest, largest] = [Math.log2(Math.min(...sizes)), Math.log2(Math.max(...sizes))];
  const xOf = (byteCount: number) =>
    LEFT + (Math.log2(byteCount) - smallest) / Math.max(1, largest - smallest) * (RIGHT - LEFT);
  const yOf = (wallMs: number) =>
    BOTTOM - (Math.log10(wallMs) - lowest) / Math.max(1, highest - lowest) * (BOTTOM - TOP);

  let body = "";
  for (let power = lowest; power <= highest; power++) {
    const y = coordinate(yOf(10 ** power));
    body += `<line class="grid" x1="${LEFT}" x2="${RIGHT}" y1="${y}" y2="${y}"/>\n` +
      textAt(LEFT - 8, yOf(10 ** power) + 4, timeName(10 ** power), "quiet end");
  }
  for (const size of sizes) body += textAt(xOf(size), BOTTOM + 20, sizeName(size), "quiet middle");

  const ends = [...series.values()].map((line) => line.at(-1)!);
  const nameTops = spreadOut(ends.map(({ wallMs }) => yOf(wallMs)), NAME_HEIGHT);
  [...series].forEach(([name, line], index) => {
    const solid = `line series-${index % 6}`;
    const look = index < 3 ? solid : `${solid} dashed`;
    const places = line.map(({ byteCount, wallMs }) =>
      `${coordinate(xOf(byteCount))},${coordinate(yOf(wallMs))}`
    );
    body += `<polyline class="${look}" points="${places.join(" ")}"/>\n`;
    for (const place of places) {
      const [x, y] = place.split(",");
      body += `<circle class="${solid}" cx="${x}" cy="${y}" r="3"/>\n`;
    }
    const nameTop = nameTops[index]!;
    body +=
      `<line class="${look}" x1="${RIGHT + 12}" x2="${RIGHT + 32}" y1="${coordinate(nameTop)}" y2="${
        coordinate(nameTop)
      }"/>\n` + textAt(RIGHT + 38, nameTop + 4, name);
  });
  body += textAt(PAGE_WIDTH - 16, BOTTOM + 44, "time of the whole process by size of the fd", "quiet end");
  return svgPage(title, below, BOTTOM + 60, body);
}
