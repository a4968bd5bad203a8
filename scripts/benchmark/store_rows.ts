/** A store with very many fds. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { atMost, type Row, rowsOf } from "./benchmark_row.ts";
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
  const captured = (store: string): Task => ({
    command: shell(`exec ${fdtoolLine(setting, store, ["capture", "--always"])} < ${quoted(small)}`),
  });
  yield rows.ratio(
    `small capture with ${fdCount} fds in the store`,
    "an empty store",
    measureTurns(captured(many), captured(empty), turnCount),
    atMost(1.1),
  );
  const synced: Task = {
    command: shell(
      `exec ${fdtoolLine(setting, empty, ["capture", "--always", "--durable"])} < ${quoted(small)}`,
    ),
  };
  yield rows.ratio(
    "small capture, durable",
    "not durable",
    measureTurns(synced, captured(empty), turnCount),
    atMost(1.2),
  );
  const files = freshDirectory(setting, "files");
  for (let file = 1; file <= fdCount; file++) writeFileSync(join(files, `${file}`), "");
  yield rows.ratio(
    `ls --all of ${fdCount} fds`,
    `ls -l of ${fdCount} files`,
    measureTurns(
      { command: fdtoolCommand(setting, many, ["ls", "--all"]) },
      { command: ["ls", "-l", files] },
      pick(setting, 15, 5),
    ),
    atMost(1.5),
  );
}
