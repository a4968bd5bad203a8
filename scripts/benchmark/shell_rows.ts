/** The shell that agents live in: processor time, since its caller waits for it in every command. */

import { join } from "node:path";
import { atMost, type Goals, type Row, rowsOf } from "./benchmark_row.ts";
import { freshDirectory, logFile, pick, type Setting } from "./bench_setting.ts";
import { measureTurns } from "./measure_turns.ts";
import { quoted, type Task } from "./run_process.ts";

const rows = rowsOf("shell");
const MIB = 1 << 20;

/** Measures them. */
export function* shellRows(setting: Setting): Iterable<Row> {
  const env = { TMPDIR: freshDirectory(setting, "copies"), FDTOOL_STORE: freshDirectory(setting, "store") };
  const inBash = (line: string): Task => ({ command: ["bash", "-c", line], env });
  const inShell = (line: string): Task => ({ command: [setting.fdtool, "-c", line], env });
  const cpu = (name: string, peer: string, ours: Task, other: Task, turnCount: number, goals: Goals) => {
    const turns = measureTurns(ours, other, turnCount);
    return { ...rows.value(`${name}: cpu`, peer, "x", turns.cpuRatio, goals), turns };
  };
  // Bash becomes its last command: the cost of both and nothing else.
  const floor = inBash(quoted(setting.hello));
  yield cpu("-c true", "bash, then hello", inShell("true"), floor, pick(setting, 60, 15), atMost(1.45));
  const small = "seq 1 20 | tail -1";
  yield cpu(
    `-c '${small}'`,
    "the same in bash",
    inShell(small),
    inBash(small),
    pick(setting, 60, 15),
    atMost(5.5),
  );

  const log = logFile(setting, "log", pick(setting, 256, 64) * MIB);
  const bare = `cat ${quoted(log)} | tail -30`;
  const teed = `cat ${quoted(log)} | tee ${quoted(join(setting.directory, "copy"))} | tail -30`;
  // The copying process outlives its parent. As the first process of its own, bash waits for it, and it counts.
  const counted = ({ command }: Task): Task => ({
    command: ["unshare", "-rpf", "bash", "-c", `${command.map(quoted).join(" ")}; :`],
    env,
  });
  const large = (name: string, ours: Task, goals: Goals) =>
    cpu(name, "cat x | tail -30 in bash", counted(ours), counted(inBash(bare)), pick(setting, 15, 5), goals);
  yield large("256 MiB | tail -30, kept", inShell(bare), atMost(2));
  const note = "the least that a copy costs, without storing it; no goal of its own";
  yield large("256 MiB | tee copy | tail -30", inBash(teed), { note });
}
