/**
 * Measures fdtool against named peers (each row says which), prints a table, and keeps the results under
 * `scripts/bench-results/`. Run by `scripts/bench`, which builds the binaries first.
 */

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseOptions } from "./parse_options.ts";
import type { Row } from "./benchmark/benchmark_row.ts";
import type { Setting } from "./benchmark/bench_setting.ts";
import { answerRows } from "./benchmark/answer_rows.ts";
import { captureRows } from "./benchmark/capture_rows.ts";
import { chartFiles } from "./benchmark/draw_charts.ts";
import { keptResults } from "./benchmark/kept_results.ts";
import { readRows } from "./benchmark/read_rows.ts";
import {
  cellsOf,
  describeMachine,
  jsonOf,
  type Machine,
  machineName,
  markdownOf,
  verdictOf,
} from "./benchmark/report.ts";
import { checkHugeSpace, hugeRows, scaleRows } from "./benchmark/scale_rows.ts";
import { shellRows } from "./benchmark/shell_rows.ts";
import { startupRows } from "./benchmark/startup_rows.ts";
import { packRows } from "./benchmark/pack_rows.ts";
import { sharedRows } from "./benchmark/shared_rows.ts";
import { storeRows } from "./benchmark/store_rows.ts";
import { CHECKOUT } from "./checkout.ts";

const RESULTS = join(CHECKOUT, "scripts", "bench-results");

const GROUPS: Readonly<Record<string, (setting: Setting) => Iterable<Row> | AsyncIterable<Row>>> = {
  startup: startupRows,
  shell: shellRows,
  capture: captureRows,
  read: readRows,
  store: storeRows,
  pack: packRows,
  answer: answerRows,
  shared: sharedRows,
  scale: scaleRows,
};

const HELP = `usage: scripts/bench [--quick [--keep]] [--only GROUP,…] [--huge] [--no-keep]
       scripts/bench --charts

Measures fdtool against named peers, in turns, as whole processes; prints a table, keeps it under
scripts/bench-results/ and draws the charts there. The data needs about 4 GiB in /dev/shm (quick: 1 GiB) while it
runs; two idle cores take less than ten minutes.

  --quick        fewer turns and smaller data: a look, not a result, and not kept
  --keep         keep a quick run too, named and marked as such
  --only GROUP   ${Object.keys(GROUPS).join(", ")}
                 shared needs versitygw, which scripts/object-servers makes
  --huge         in the group scale, also an fd of 20 GiB, which needs 22 GiB free under TMPDIR and takes minutes
  --no-keep      print only
  --charts       measure nothing: redraw the charts of the newest results
`;

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseOptions({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      keep: { type: "boolean", default: false },
      "no-keep": { type: "boolean", default: false },
      huge: { type: "boolean", default: false },
      charts: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  if (values.charts) {
    drawCharts();
    return;
  }
  const names = values.only?.split(",") ?? Object.keys(GROUPS);
  const unknown = names.find((name) => !(name in GROUPS));
  if (unknown !== undefined) {
    throw new Error(`--only ${unknown}: known are ${Object.keys(GROUPS).join(", ")}`);
  }

  const withHuge = values.huge && names.includes("scale");
  if (withHuge) checkHugeSpace();

  const inMemory = existsSync("/dev/shm");
  const directory = mkdtempSync(join(inMemory ? "/dev/shm" : tmpdir(), "fdtool-bench-"));
  const programs = mkdtempSync(join(CHECKOUT, "dist", ".bench-"));
  const removeAll = () => {
    for (const made of [directory, programs]) rmSync(made, { recursive: true, force: true });
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      removeAll();
      process.exit(130);
    });
  }
  const setting: Setting = {
    quick: values.quick,
    fdtool: copyAnew("fdtool", programs),
    hello: copyAnew("hello", programs),
    deno: process.env["FDTOOL_DENO"] ?? "",
    bun: process.execPath,
    checkout: CHECKOUT,
    directory,
    say: (text) => console.error(`bench: ${text}`),
  };
  try {
    const machine = describeMachine(setting, inMemory ? "/dev/shm, in memory" : "on a disk: not comparable");
    const startedAt = performance.now();
    const rows: Row[] = [];
    for (const name of names) {
      setting.say(name);
      for await (const row of GROUPS[name]!(setting)) {
        rows.push(row);
        printRow(row);
      }
    }
    if (withHuge) {
      for (const row of hugeRows(setting)) {
        rows.push(row);
        printRow(row);
      }
    }
    machine.seconds = Math.round((performance.now() - startedAt) / 1000);
    machine.loadAfter = Math.round(loadavg()[0]! * 100) / 100;
    const missed = rows.filter((row) => verdictOf(row) === "MISSED");
    console.log(
      `\n${rows.length} rows in ${machine.seconds} s, ${missed.length} of them missed their number marked now.`,
    );
    if (Math.max(machine.loadBefore, machine.loadAfter) > machine.cores + 1) {
      console.log(
        `The machine was busy with other things (load ${machine.loadBefore} before, ${machine.loadAfter} after, ` +
          `${machine.cores} cores): measure again when it is not.`,
      );
    }
    if (!values["no-keep"] && (!values.quick || values.keep)) keep(machine, rows, values.only);
  } finally {
    removeAll();
  }
}

/**
 * Copies a built program. Starting it takes up to a third longer if the system dropped its pages and read them back in
 * small pieces, so all peers must be loaded into memory in the same way, at the same time.
 */
function copyAnew(name: string, directory: string): string {
  const path = join(directory, name);
  copyFileSync(join(CHECKOUT, "dist", name), path);
  return path;
}

function printRow(row: Row): void {
  // Those that are numbers are padded at the start.
  const widths = [9, 46, 33, -10, -11, -11, 8, 11, 6, 0, 0];
  const cells = cellsOf(row).map((cell, index) => {
    const width = widths[index]!;
    return width < 0 ? cell.padStart(-width) : cell.padEnd(width);
  });
  console.log(cells.join(" "));
}

/** Keeps the run. One of some groups does not take the place of a whole one of the same day. */
function keep(machine: Machine, rows: readonly Row[], only: string | undefined): void {
  mkdirSync(RESULTS, { recursive: true });
  const marks = [...(machine.quick ? ["quick"] : []), ...(only?.split(",") ?? [])];
  const name = join(RESULTS, [machine.date.slice(0, 10), machineName(machine), ...marks].join("-"));
  writeFileSync(`${name}.json`, jsonOf(machine, rows));
  writeFileSync(`${name}.md`, markdownOf(machine, rows));
  console.log(`Kept as ${name}.json and .md`);
  drawCharts();
}

/** Draws every group's chart from the newest run that has it. */
function drawCharts(): void {
  mkdirSync(join(RESULTS, "charts"), { recursive: true });
  for (const [path, text] of chartFiles(keptResults(RESULTS))) {
    writeFileSync(join(RESULTS, path), text);
    console.log(`Drawn: ${join(RESULTS, path)}`);
  }
}

await main(process.argv.slice(2));
