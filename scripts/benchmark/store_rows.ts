/** A store with very many fds. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ratioRow, type Row } from "./benchmark_row.ts";
import { fdtoolCommand, fdtoolLine, freshDirectory, pick, type Setting, textFile } from "./bench_setting.ts";
import { measureTurns } from "./measure_turns.ts";
import { outputOf, quoted, shell, type Task } from "./run_process.ts";

const group = "store";

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
  yield ratioRow({
    group,
    name: `small capture with ${fdCount} fds in the store`,
    peer: "an empty store",
    now: { most: 1.1 },
  }, measureTurns(captured(many), captured(empty), turnCount));
  const synced: Task = {
    command: shell(
      `exec ${fdtoolLine(setting, empty, ["capture", "--always", "--durable"])} < ${quoted(small)}`,
    ),
  };
  yield ratioRow({
    group,
    name: "small capture, durable",
    peer: "not durable",
    now: { most: 1.2 },
  }, measureTurns(synced, captured(empty), turnCount));
  const files = freshDirectory(setting, "files");
  for (let file = 1; file <= fdCount; file++) writeFileSync(join(files, `${file}`), "");
  yield ratioRow(
    {
      group,
      name: `ls --all of ${fdCount} fds`,
      peer: `ls -l of ${fdCount} files`,
      now: { most: 1.5 },
    },
    measureTurns(
      { command: fdtoolCommand(setting, many, ["ls", "--all"]) },
      { command: ["ls", "-l", files] },
      pick(setting, 15, 5),
    ),
  );
}
