/** Formats a run as a table for the terminal, and as JSON and Markdown to store. */

import { cpus, loadavg, release, totalmem, type } from "node:os";
import { markdownTable } from "../result_pages.ts";
import { type Goal, reaches, type Row } from "./benchmark_row.ts";
import { outputOf, PEAK_MEMORY_METHOD } from "./run_process.ts";
import type { Setting } from "./bench_setting.ts";

/** The machine and programs of a run. */
export interface Machine {
  date: string;
  system: string;
  cpu: string;
  cores: number;
  memoryGiB: number;
  /** Of the last minute, before and after: above the number of cores, others were at work. */
  loadBefore: number;
  loadAfter: number;
  /** How long the whole run took. */
  seconds: number;
  /** Fewer turns and smaller data: a look, not a result. */
  quick: boolean;
  directory: string;
  versions: Readonly<Record<string, string>>;
  method: string;
}

/** Returns the system's description of itself before the run. */
export function describeMachine(setting: Setting, directoryKind: string): Machine {
  const firstLine = (...command: string[]) => outputOf({ command, exitCodes: [0, 1] }).split("\n")[0] ?? "";
  return {
    date: new Date().toISOString(),
    system: `${type()} ${release()}`,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    loadBefore: Math.round(loadavg()[0]! * 100) / 100,
    loadAfter: 0,
    seconds: 0,
    quick: setting.quick,
    directory: directoryKind,
    versions: {
      fdtool: firstLine(setting.fdtool, "--version"),
      bun: firstLine(setting.bun, "--version"),
      deno: setting.deno === "" ? "none" : firstLine(setting.deno, "--version"),
      coreutils: firstLine("cat", "--version"),
      grep: firstLine("grep", "--version"),
      sed: firstLine("sed", "--version"),
    },
    method:
      "fdtool and hello copied anew; whole processes, started in turns A B A B after one warm-up each; wall time by a monotonic clock around " +
      "the process, medians; the value is the ratio of the medians, the spread the quartiles of the turns' ratios; " +
      `cpu is user and system time of the process and its children; peak memory by ${
        PEAK_MEMORY_METHOD ?? "nothing here"
      }`,
  };
}

/** The file name of a machine's results: its processor and cores, in letters and digits. */
export function machineName({ cpu, cores }: Machine): string {
  const plain = cpu.replace(/\(\w+\)|CPU|Processor|@.*/g, " ").toLowerCase().match(/[a-z0-9]+/g) ??
    ["unknown"];
  return `${plain.join("-")}-${cores}-cores`;
}

/** A value in its row's unit. */
export function shownValue({ value, unit }: Pick<Row, "value" | "unit">): string {
  if (value === undefined) return "–";
  return SHOWN[unit](value);
}

const SHOWN: Readonly<Record<Row["unit"], (value: number) => string>> = {
  x: (value) => value.toFixed(2),
  times: (value) => `${value.toFixed(0)}×`,
  percent: (value) => `${value.toFixed(3)} %`,
  count: String,
  ms: (value) => `${value.toFixed(0)} ms`,
  bytes: (value) =>
    value >= 1 << 20 ? `${(value / 2 ** 20).toFixed(1)} MiB` : `${(value / 1024).toFixed(0)} KiB`,
};

/** A goal in its row's unit. */
export function shownGoal(goal: Goal | undefined, unit: Row["unit"]): string {
  if (goal?.most !== undefined) return `≤ ${shownValue({ value: goal.most, unit })}`;
  if (goal?.least !== undefined) return `≥ ${shownValue({ value: goal.least, unit })}`;
  return "–";
}

/** The result of the row's goals: `stretch`, `now`, `MISSED`, or empty without a goal. */
export function verdictOf(row: Row): string {
  if (reaches(row.value, row.stretch) === true) return "stretch";
  const now = reaches(row.value, row.now);
  return now === undefined ? "" : now ? "now" : "MISSED";
}

/** A row as the cells of a table. */
export function cellsOf(row: Row): string[] {
  const { turns } = row;
  return [
    row.group,
    row.name,
    row.peer,
    shownValue(row),
    shownGoal(row.now, row.unit),
    shownGoal(row.stretch, row.unit),
    verdictOf(row),
    ...turns === undefined ? ["", "", ""] : [
      `${turns.spread[0].toFixed(2)}–${turns.spread[1].toFixed(2)}`,
      turns.cpuRatio.toFixed(2),
      `${turns.ours.wallMs.toFixed(1)} / ${turns.peer.wallMs.toFixed(1)} ms`,
    ],
    [turns && `${turns.turnCount} turns`, row.note].filter(Boolean).join("; "),
  ];
}

const HEADINGS = "group, what, peer, value, now, stretch, reached, quartiles, cpu ratio, ours / peer, ".split(
  ", ",
);

/** Words of the results that readers cannot guess. */
export const WORDS =
  "`hello` is a compiled program that writes one line: the least that any call takes. `now` is a row's target, and\n" +
  "`stretch` a harder one that it need not reach yet.\n";

/** The run as Markdown. */
export function markdownOf(machine: Machine, rows: readonly Row[]): string {
  const { versions, ...facts } = machine;
  const cells = rows.map((row) => cellsOf(row).map((cell) => cell.replaceAll("|", "\\|")));
  return `# Benchmark of ${machine.date.slice(0, 10)}\n\n` +
    Object.entries({ ...facts, ...versions }).map(([name, value]) => `- ${name}: ${value}\n`).join("") +
    `\n${WORDS}\n${markdownTable(HEADINGS, cells, HEADINGS.length)}\n`;
}

/** The run as one JSON object. */
export function jsonOf(machine: Machine, rows: readonly Row[]): string {
  const results = rows.map((row) => ({ ...row, reached: verdictOf(row) }));
  return `${JSON.stringify({ machine, results }, null, 2)}\n`;
}
