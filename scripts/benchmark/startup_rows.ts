/** Start-up and small calls: what a call costs that has nothing to do. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { atMost, type Goals, type Row, rowsOf } from "./benchmark_row.ts";
import {
  capture,
  fdtoolCommand,
  fdtoolLine,
  freshDirectory,
  pick,
  type Setting,
  textFile,
} from "./bench_setting.ts";
import { measureTurns } from "./measure_turns.ts";
import { peakMemoryOf, quoted, shell, type Task } from "./run_process.ts";

const rows = rowsOf("start-up");

/** Measures them. */
export function* startupRows(setting: Setting): Iterable<Row> {
  const turnCount = pick(setting, 60, 15);
  const small = textFile(
    setting,
    "small",
    Array.from({ length: 40 }, (_, line) => `line ${line}\n`).join(""),
  );
  const hello: Task = { command: [setting.hello] };
  const fed = (program: string): Task => ({ command: shell(`exec ${program} < ${quoted(small)}`) });
  const fedHello = fed(quoted(setting.hello));

  const store = freshDirectory(setting, "store");
  capture(setting, store, small);
  const read: Task = { command: fdtoolCommand(setting, store, ["read", "fd:1", "--lines", "10-14"]) };
  const reads = measureTurns(read, hello, turnCount);
  yield rows.ratio("read of a small slice", "hello", reads, atMost(1.4, 1.15));
  const cpu = rows.value("read of a small slice: cpu", "hello", "x", reads.cpuRatio, atMost(1.5));
  yield { ...cpu, turns: reads };
  const captured = (what: string, options: readonly string[], goals: Goals) => {
    const task = fed(fdtoolLine(setting, store, ["capture", ...options]));
    return rows.ratio(`small capture, ${what}`, "hello", measureTurns(task, fedHello, turnCount), goals);
  };
  yield captured("stored", ["--always"], atMost(1.45, 1.2));
  yield captured("passed through", [], atMost(1.35, 1.1));

  if (setting.deno !== "") {
    const program = [setting.deno, "run", "--allow-all", join(setting.checkout, "main.ts")];
    const source: Task = { command: [...program, ...read.command.slice(1)] };
    const turns = measureTurns(read, source, pick(setting, 15, 5));
    yield rows.ratio("read, compiled", "the same under deno run", turns, atMost(0.25));
  }
  const peak = peakMemoryOf(read, setting.directory);
  yield rows.value("peak memory of a small read", "-", "bytes", peak, { note: "no goal of its own" });
  const size = statSync(setting.fdtool).size / statSync(setting.bun).size;
  yield rows.value("binary size", "the bare runtime", "x", size, atMost(1.1));
}
