/** A store with very many fds. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { atMost, type Goals, type Row, rowsOf } from "./benchmark_row.ts";
import { fdtoolCommand, fdtoolLine, freshDirectory, pick, type Setting, textFile } from "./bench_setting.ts";
import { measureTurns } from "./measure_turns.ts";
import { outputOf, quoted, shell, type Task } from "./run_process.ts";

const rows = rowsOf("store");

/** Measures them. */
export function* storeRows(setting: Setting): Iterable<Row> {
  const fdCount = pick(setting, 100_000, 10_000);
  const turnCount = pick(setting, 100, 10);
  const small = textFile(setting, "small", "a small output\n".repeat(20));
  setting.say(`making ${fdCount} fds …`);
  const many = freshDirectory(setting, "many");
  const maker = join(setting.checkout, "scripts", "benchmark", "make_fds.ts");
  outputOf({ command: [setting.bun, "run", maker, many, String(fdCount)] });
  const empty = freshDirectory(setting, "empty");
  const captured = (store: string, ...options: string[]): Task => ({
    command: shell(
      `exec ${fdtoolLine(setting, store, ["capture", "--always", ...options])} < ${quoted(small)}`,
    ),
  });
  const compared = (what: string, peer: string, task: Task, goals: Goals) =>
    rows.ratio(`small capture${what}`, peer, measureTurns(task, captured(empty), turnCount), goals);
  yield compared(` with ${fdCount} fds in the store`, "an empty store", captured(many), atMost(1.1));
  yield compared(", durable", "not durable", captured(empty, "--durable"), atMost(1.2));
  const files = freshDirectory(setting, "files");
  for (let file = 1; file <= fdCount; file++) writeFileSync(join(files, `${file}`), "");
  const ours = { command: fdtoolCommand(setting, many, ["ls", "--all"]) };
  const turns = measureTurns(ours, { command: ["ls", "-l", files] }, pick(setting, 15, 5));
  yield rows.ratio(`ls --all of ${fdCount} fds`, `ls -l of ${fdCount} files`, turns, atMost(1.5));
}
