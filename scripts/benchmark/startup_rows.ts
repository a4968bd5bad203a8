/** Start-up and small calls: what a call costs that has nothing to do. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { ratioRow, type Row } from "./benchmark_row.ts";
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

const group = "start-up";

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
  yield ratioRow({
    group,
    name: "read of a small slice",
    peer: "hello",
    now: { most: 1.4 },
    stretch: { most: 1.15 },
  }, measureTurns(read, hello, turnCount));
  yield ratioRow({
    group,
    name: "small capture, stored",
    peer: "hello",
    now: { most: 1.45 },
    stretch: { most: 1.2 },
  }, measureTurns(fed(fdtoolLine(setting, store, ["capture", "--always"])), fedHello, turnCount));
  yield ratioRow({
    group,
    name: "small capture, passed through",
    peer: "hello",
    now: { most: 1.35 },
    stretch: { most: 1.1 },
  }, measureTurns(fed(fdtoolLine(setting, store, ["capture"])), fedHello, turnCount));

  if (setting.deno !== "") {
    const main = join(setting.checkout, "main.ts");
    const source: Task = {
      command: [
        setting.deno,
        "run",
        "--allow-all",
        main,
        "read",
        "fd:1",
        "--lines",
        "10-14",
        "--store",
        store,
      ],
    };
    yield ratioRow({
      group,
      name: "read, compiled",
      peer: "the same under deno run",
      now: { most: 0.25 },
    }, measureTurns(read, source, pick(setting, 15, 5)));
  }
  yield {
    group,
    name: "peak memory of a small read",
    peer: "-",
    unit: "bytes",
    value: peakMemoryOf(read, setting.directory),
    note: "no goal of its own",
  };
  yield {
    group,
    name: "binary size",
    peer: "the bare runtime",
    unit: "x",
    value: statSync(setting.fdtool).size / statSync(setting.bun).size,
    now: { most: 1.1 },
  };
}
