/** The charts and pages drawn from results say what the results say, and are files that a reader can open. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { barChart, shareOf } from "./bar_chart.ts";
import type { Row } from "./benchmark_row.ts";
import { chartFiles } from "./draw_charts.ts";
import { keptResultFrom, keptResults, type StoredResult } from "./kept_results.ts";
import { lineChart, seriesOf, spreadOut } from "./line_chart.ts";
import { jsonOf, type Machine } from "./report.ts";

const MACHINE: Machine = {
  date: "2026-01-02T03:04:05.000Z",
  system: "Linux 6",
  cpu: "A <fast> Processor",
  cores: 2,
  memoryGiB: 4,
  loadBefore: 0,
  loadAfter: 0,
  seconds: 9,
  quick: false,
  directory: "in memory",
  versions: {},
  method: "in turns",
};

const ROW: Row = {
  group: "read",
  name: "a <row> & more",
  peer: "hello",
  unit: "x",
  value: 1.5,
  now: { most: 2 },
  stretch: { most: 1 },
};

function pointRow(series: string, byteCount: number, wallMs: number): Row {
  const cost = { wallMs, cpuMs: 1 };
  const turns = { ratio: 1, cpuRatio: 1, ours: cost, peer: cost, spread: [1, 1] as const, turnCount: 3 };
  return { ...ROW, group: "scale", point: { series, byteCount }, turns };
}

function kept(name: string, machine: Partial<Machine>, rows: readonly Row[]): StoredResult {
  return keptResultFrom(name, jsonOf({ ...MACHINE, ...machine }, rows));
}

/** Throws unless every tag that opens also closes, in order. */
function assertWellFormed(svg: string): void {
  const open: string[] = [];
  for (const [, close, name, self] of svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/gi)) {
    if (self === "/") continue;
    if (close === "") open.push(name!);
    else assertEquals(open.pop(), name);
  }
  assertEquals(open, []);
  assertEquals(/&(?!#\d+;)/.test(svg), false);
}

Deno.test("a bar is as long as the value is of its number, whichever way is better", () => {
  assertEquals(shareOf(3, { most: 2 }), 1.5);
  assertEquals(shareOf(100, { least: 50 }), 0.5);
  assertEquals(shareOf(0, { least: 50 }), Infinity);
  assertEquals([shareOf(3, undefined), shareOf(undefined, { most: 2 }), shareOf(0, { most: 0 })], [
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("a bar chart is well-formed, whatever rows are called, and says what was missed", () => {
  const rows = [ROW, { ...ROW, value: 9 }, { ...ROW, value: undefined }, { ...ROW, now: undefined }];
  const svg = barChart("Reads & <more>", "below", rows);
  assertWellFormed(svg);
  assertStringIncludes(svg, "a &#60;row&#62; &#38; more");
  assertEquals(svg.match(/9\.00 \(≤ 2\.00\) MISSED/g)?.length, 1);
  assertEquals(svg.match(/<rect class="bar-(now|missed)"/g), [
    '<rect class="bar-now"',
    '<rect class="bar-missed"',
  ]);
});

Deno.test("a line chart draws one line a series, by size, with names apart", () => {
  const rows = [
    pointRow("read", 1 << 30, 10),
    pointRow("read", 1 << 20, 10),
    pointRow("stat", 1 << 20, 10),
    pointRow("stat", 1 << 30, 10),
    ROW,
  ];
  assertEquals(seriesOf(rows).get("read")?.map(({ byteCount }) => byteCount), [1 << 20, 1 << 30]);
  const svg = lineChart("Time", "below", rows);
  assertWellFormed(svg);
  assertEquals(svg.match(/<polyline/g)?.length, 2);
  assertEquals(svg.includes("NaN"), false);
  assertEquals(spreadOut([10, 5, 10, 90], 16), [21, 5, 37, 90]);
});

Deno.test("each group is drawn from the newest whole run that has it, else from a quick one", () => {
  const whole = kept("whole", {}, [ROW]);
  const quick = kept("quick", { quick: true, date: "2026-03-01" }, [
    { ...ROW, value: 1.1 },
    { ...ROW, group: "store", value: 7 },
  ]);
  const files = chartFiles([whole, quick]);
  assertEquals([...files.keys()], ["charts/read.svg", "charts/store.svg", "README.md"]);
  assertStringIncludes(files.get("charts/read.svg")!, "1.50 (≤ 2.00) now");
  assertEquals(files.get("charts/read.svg")!.includes("quick"), false);
  assertStringIncludes(files.get("charts/store.svg")!, "quick: a look, not a result");
  assertStringIncludes(files.get("README.md")!, "- a <row> & more, against hello: 7.00, target ≤ 2.00\n");
  assertStringIncludes(files.get("README.md")!, "[all rows](whole.md)");
});

Deno.test("times by size are in a table, too, with gaps for sizes that were not measured", () => {
  const rows = [pointRow("read", 1 << 20, 10), pointRow("read", 1 << 30, 11), pointRow("stat", 1 << 30, 9)];
  assertStringIncludes(
    chartFiles([kept("one", {}, rows)]).get("README.md")!,
    "|  | 1 MiB | 1 GiB |\n| --- | ---: | ---: |\n| read | 10.0 ms | 11.0 ms |\n| stat | – | 9.0 ms |\n\n",
  );
});

Deno.test("a stored run is read back unchanged, also one without a value", () => {
  const { rows, machine } = kept("one", {}, [pointRow("read", 5, 1), {
    ...ROW,
    value: undefined,
    note: "none",
  }]);
  assertEquals(rows[0]?.point, { series: "read", byteCount: 5 });
  assertEquals([rows[1]?.value, rows[1]?.note], [undefined, "none"]);
  assertEquals([machine.cores, machine.quick], [2, false]);
});

Deno.test("what the charts show is what the newest results say, and docs/speed.md shows every chart", () => {
  const directory = new URL("../bench-results/", import.meta.url);
  const files = chartFiles(keptResults(fileURLToPath(directory)));
  const drawn = [...files.keys()].filter((path) => path.endsWith(".svg"));
  for (const [path, text] of files) {
    assertEquals(
      Deno.readTextFileSync(new URL(path, directory)),
      text,
      `scripts/bench --charts draws ${path}`,
    );
  }
  const page = Deno.readTextFileSync(new URL("../../docs/speed.md", import.meta.url));
  const shown = [...page.matchAll(/\(\.\.\/scripts\/bench-results\/(charts\/[^)]+)\)/g)].map(([, path]) =>
    path
  );
  assertEquals(shown.sort(), drawn.sort());
  assert(shown.length > 0);
});
