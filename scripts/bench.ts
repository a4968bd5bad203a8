/**
 * Measures fdtool against named peers (MEASURES.md says which and why), prints a table, and keeps the results under
 * `scripts/bench-results/`. Run by `scripts/bench`, which builds what is measured.
 *
 * @module
 */

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Row } from "./benchmark/benchmark_row.ts";
import type { Setting } from "./benchmark/bench_setting.ts";
import { captureRows } from "./benchmark/capture_rows.ts";
import { readRows } from "./benchmark/read_rows.ts";
import { cellsOf, describeMachine, jsonOf, machineName, markdownOf, verdictOf } from "./benchmark/report.ts";
import { startupRows } from "./benchmark/startup_rows.ts";
import { storeRows } from "./benchmark/store_rows.ts";

const CHECKOUT = dirname(dirname(fileURLToPath(import.meta.url)));

const GROUPS: Readonly<Record<string, (setting: Setting) => Iterable<Row>>> = {
  startup: startupRows,
  capture: captureRows,
  read: readRows,
  store: storeRows,
};

const HELP = `usage: scripts/bench [--quick] [--only GROUP,…] [--no-keep]

Measures fdtool against named peers, in turns, as whole processes; prints a table and keeps it under
scripts/bench-results/. The data needs about 3 GiB in /dev/shm (quick: 1 GiB) while it runs.

  --quick        fewer turns and smaller data: a look, not a result, and not kept
  --only GROUP   ${Object.keys(GROUPS).join(", ")}
  --no-keep      print only
`;

function main(args: readonly string[]): void {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      "no-keep": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const names = values.only?.split(",") ?? Object.keys(GROUPS);
  const unknown = names.find((name) => !(name in GROUPS));
  if (unknown !== undefined) {
    throw new Error(`--only ${unknown}: known are ${Object.keys(GROUPS).join(", ")}`);
  }

  const inMemory = existsSync("/dev/shm");
  const directory = mkdtempSync(join(inMemory ? "/dev/shm" : tmpdir(), "fdtool-bench-"));
  const removeAll = () => rmSync(directory, { recursive: true, force: true });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      removeAll();
      process.exit(130);
    });
  }
  const setting: Setting = {
    quick: values.quick,
    fdtool: join(CHECKOUT, "dist", "fdtool"),
    hello: join(CHECKOUT, "dist", "hello"),
    deno: process.env["FDTOOL_DENO"] ?? "",
    bun: process.execPath,
    checkout: CHECKOUT,
    directory,
    say: (text) => console.error(`bench: ${text}`),
  };
  try {
    const machine = describeMachine(setting, inMemory ? "/dev/shm, in memory" : "on a disk: not comparable");
    const rows: Row[] = [];
    for (const name of names) {
      setting.say(name);
      for (const row of GROUPS[name]!(setting)) {
        rows.push(row);
        printRow(row);
      }
    }
    machine.loadAfter = Math.round(loadavg()[0]! * 100) / 100;
    const missed = rows.filter((row) => verdictOf(row) === "MISSED");
    console.log(`\n${rows.length} rows, ${missed.length} of them missed their number marked now.`);
    if (Math.max(machine.loadBefore, machine.loadAfter) > machine.cores + 1) {
      console.log(
        `The machine was busy with other things (load ${machine.loadBefore} before, ${machine.loadAfter} after, ` +
          `${machine.cores} cores): measure again when it is not.`,
      );
    }
    if (!values["no-keep"] && !values.quick) keep(machine, rows);
  } finally {
    removeAll();
  }
}

function printRow(row: Row): void {
  const [group, name, peer, value, now, stretch, reached, quartiles, cpu, times, note] = cellsOf(
    row,
  ) as string[];
  console.log(
    `${group!.padEnd(9)} ${name!.padEnd(46)} ${`vs ${peer}`.padEnd(30)} ${value!.padStart(10)} ${
      now!.padStart(11)
    } ` +
      `${stretch!.padStart(11)} ${reached!.padEnd(8)} ${quartiles!.padEnd(11)} cpu ${
        cpu!.padEnd(6)
      } ${times} ${note}`,
  );
}

function keep(machine: Parameters<typeof jsonOf>[0], rows: readonly Row[]): void {
  const folder = join(CHECKOUT, "scripts", "bench-results");
  mkdirSync(folder, { recursive: true });
  const name = join(folder, `${machine.date.slice(0, 10)}-${machineName(machine)}`);
  writeFileSync(`${name}.json`, jsonOf(machine, rows));
  writeFileSync(`${name}.md`, markdownOf(machine, rows));
  console.log(`Kept as ${name}.json and .md`);
}

main(process.argv.slice(2));
