/** The kept results as files for readers: a chart for each group, and a page that says what missed its number. */

import { markdownTable } from "../result_pages.ts";
import { barChart } from "./bar_chart.ts";
import type { Row } from "./benchmark_row.ts";
import type { StoredResult } from "./kept_results.ts";
import { lineChart, seriesOf, type SizedTime, sizeName } from "./line_chart.ts";
import { shownGoal, shownValue, verdictOf, WORDS } from "./report.ts";

const TITLES: Readonly<Record<string, string>> = {
  "start-up": "Small calls, as whole processes",
  capture: "Capture through a pipe",
  read: "Reading, searching and verifying a large fd",
  store: "A store with very many fds",
  scale: "Time by size",
};

/** A group, and the run that its chart shows. */
interface Drawn {
  group: string;
  kept: StoredResult;
  rows: readonly Row[];
}

/** Each group with the first of `results` that has it: the one to trust most. */
function newestOfGroups(results: readonly StoredResult[]): Drawn[] {
  return Object.keys(TITLES).flatMap((group) => {
    const kept = results.find(({ rows }) => rows.some((row) => row.group === group));
    return kept === undefined ? [] : [{ group, kept, rows: kept.rows.filter((row) => row.group === group) }];
  });
}

/** When and where, in a line. */
function whenAndWhere({ machine }: StoredResult): string {
  const busy = Math.max(machine.loadBefore, machine.loadAfter) > machine.cores + 1 ? ", busy" : "";
  const quick = machine.quick ? " · quick: a look, not a result" : "";
  return `${machine.date.slice(0, 10)} · ${machine.cpu}, ${machine.cores} cores${busy}${quick}`;
}

/** The name of a group's chart. */
export function chartName(group: string): string {
  return `${group.replaceAll("-", "")}.svg`;
}

/** The files that show `results`, by their path from the directory of the results. */
export function chartFiles(results: readonly StoredResult[]): Map<string, string> {
  const drawn = newestOfGroups(results);
  const files = new Map<string, string>();
  for (const { group, kept, rows } of drawn) {
    const draw = rows.some(({ point }) => point !== undefined) ? lineChart : barChart;
    files.set(`charts/${chartName(group)}`, draw(TITLES[group]!, whenAndWhere(kept), rows));
  }
  return files.set("README.md", pageOf(drawn));
}

/** The times of a line chart as a table; empty without times. */
function timesTable(rows: readonly Row[]): string {
  const series = [...seriesOf(rows)];
  const sizes = [...new Set(series.flatMap(([, points]) => points.map(({ byteCount }) => byteCount)))]
    .sort((a, b) => a - b);
  if (sizes.length === 0) return "";
  const timeAt = (points: readonly SizedTime[], size: number) => {
    const point = points.find(({ byteCount }) => byteCount === size);
    return point === undefined ? "–" : `${point.wallMs.toFixed(1)} ms`;
  };
  const lines = series.map(([name, points]) => [name, ...sizes.map((size) => timeAt(points, size))]);
  return `${markdownTable(["", ...sizes.map(sizeName)], lines)}\n\n`;
}

function pageOf(drawn: readonly Drawn[]): string {
  const sections = drawn.map(({ group, kept, rows }) => {
    const missed = rows.filter((row) => verdictOf(row) === "MISSED");
    const withGoal = rows.filter(({ now }) => now !== undefined);
    const lines = missed.map((row) =>
      `- ${row.name}, against ${row.peer}: ${shownValue(row)}, target ${shownGoal(row.now, row.unit)}\n`
    );
    return `## ${TITLES[group]}\n\n![${TITLES[group]}](charts/${chartName(group)})\n\n${timesTable(rows)}` +
      `Measured ${whenAndWhere(kept)}: [all rows](${kept.name}.md). ` +
      `${withGoal.length - missed.length} of ${withGoal.length} targets met${
        missed.length === 0 ? ".\n" : `; missed:\n\n${lines.join("")}`
      }`;
  });
  return "# Results\n\n`scripts/bench --charts` draws this page and its charts from the newest results in this directory.\n\n" +
    `${WORDS}\n` + sections.join("\n");
}
