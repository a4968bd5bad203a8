/** Capture of large input through a pipe, with the full index. */

import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { atMost, type Goals, type Row, rowsOf } from "./benchmark_row.ts";
import { fdtoolCommand, fdtoolLine, freshDirectory, logFile, pick, type Setting } from "./bench_setting.ts";
import { measureTurns, quantile } from "./measure_turns.ts";
import { peakMemoryOf, quoted, runProcess, shell, type Task } from "./run_process.ts";
import { cjkText, logText, oneLine, signText, variedText, writeRepeated } from "./sample_data.ts";

const rows = rowsOf("capture");
const MIB = 1 << 20;

/** Measures them. */
export function* captureRows(setting: Setting): Iterable<Row> {
  const turnCount = pick(setting, 20, 5);
  const logBytes = pick(setting, 256, 64) * MIB;
  const otherBytes = pick(setting, 200, 50) * 1_000_000;
  const copy = join(setting.directory, "copy");
  const store = join(setting.directory, "store");

  const captured = (path: string, options: readonly string[] = []): Task => ({
    before: () => freshDirectory(setting, "store"),
    command: shell(`cat ${quoted(path)} | ${fdtoolLine(setting, store, ["capture", ...options])}`),
  });
  const copied = (path: string): Task => ({
    before: () => rmSync(copy, { force: true }),
    command: shell(`cat ${quoted(path)} | cat > ${quoted(copy)}`),
  });
  const teed = (path: string): Task => ({
    before: () => rmSync(copy, { force: true }),
    command: shell(`cat ${quoted(path)} | tee ${quoted(copy)} > /dev/null`),
  });

  const log = logFile(setting, "log", logBytes);
  const size = `${Math.round(logBytes / MIB)} MiB`;
  // What the digest adds has rows of its own.
  const capturing = (path: string) => captured(path, ["--preview", "both"]);
  const beside = (what: string, path: string, goals: Goals) =>
    rows.ratio(what, "cat x | cat > file", measureTurns(capturing(path), copied(path), turnCount), goals);
  yield beside(`${size} of log lines`, log, atMost(1.3, 1.1));
  const turns = measureTurns(capturing(log), teed(log), turnCount);
  yield rows.ratio(`${size} of log lines`, "tee file > /dev/null", turns, atMost(1.05, 0.9));
  const peakOf = (path: string) => peakMemoryOf(captured(path), setting.directory);
  const peak = atMost(60 * MIB, 52 * MIB);
  yield rows.value(`peak memory, ${size}`, "-", "bytes", peakOf(log), peak);
  yield indexRow(store, logBytes);
  yield* digestRows(setting, store, capturing(log));
  yield* firstAnswerRows(setting, captured);

  const cjk = join(setting.directory, "log");
  const piece = cjkText(Math.min(otherBytes, 20_000_000));
  writeRepeated(cjk, piece, otherBytes);
  yield beside(`${otherBytes / 1e6} MB of CJK text`, cjk, atMost(1.55, 1.25));
  writeRepeated(cjk, oneLine(1_000_000), otherBytes);
  yield beside(`one line of ${otherBytes / 1e6} MB`, cjk, atMost(1.6, 1.3));
  yield rows.value("peak memory, the one line", "-", "bytes", peakOf(cjk), peak);
  for (const [count, length] of [[40, 900_000], [600, 60_000]] as const) {
    const line = Uint8Array.from([...oneLine(length), ...new TextEncoder().encode(" error: none\n")]);
    writeRepeated(cjk, line, count * line.length);
    yield rows.value(`peak memory, ${count} lines of ${length / 1e6} MB`, "-", "bytes", peakOf(cjk), peak);
  }
  for (const path of [log, copy, store]) rmSync(path, { recursive: true, force: true });
}

/** Measures what a digest adds to the processor time of a capture, by size and kind of text. */
function* firstAnswerRows(
  setting: Setting,
  captured: (path: string, options: readonly string[]) => Task,
): Iterable<Row> {
  const path = join(setting.directory, "signs");
  for (const kib of [10, 64, 1024, 8192, 65_536, ...(setting.quick ? [] : [262_144])]) {
    for (
      const [lines, text, every] of [
        ["log lines", logText, 0],
        ["CJK text", cjkText, 0],
        ["a sign in no line", signText, 0],
        ["a sign in each sixth line", signText, 6],
        ["a sign in every line", signText, 1],
        ["varied lines, a sign in none", variedText, 0],
        ["varied lines, a sign in every one", variedText, 1],
      ] satisfies [string, (byteCount: number, every: number) => Uint8Array, number][]
    ) {
      writeRepeated(path, text(Math.min(kib, 8192) * 1024, every), kib * 1024);
      const costs = ["digest", "both"].map((preview) => {
        const task = captured(path, ["--preview", preview]);
        const runs = Array.from({ length: pick(setting, 15, 3) }, () => runProcess(task).cpuMs);
        return quantile(runs, 0.5);
      });
      const name = `digest of ${kib} KiB, ${lines}: cpu`;
      yield rows.value(name, "cpu of --preview both", "x", costs[0]! / costs[1]!, atMost(1.9));
    }
  }
  rmSync(path);
}

/** All bytes in `directory` that belong to an index, by the content's size. */
function indexRow(store: string, contentBytes: number): Row {
  const files = readdirSync(store, { recursive: true, encoding: "utf8" });
  const indexBytes = files.filter((name) => name.endsWith(".idx"))
    .reduce((sum, name) => sum + statSync(join(store, name)).size, 0);
  return rows.value("index size", "the content", "percent", indexBytes / contentBytes * 100, atMost(0.15));
}

/** The sha-256 is computed by the first command that shows it: what it adds to the processor time of the capture. */
function* digestRows(setting: Setting, store: string, capturing: Task): Iterable<Row> {
  const captureCpu: number[] = [];
  const digestCpu: number[] = [];
  const stat = { command: fdtoolCommand(setting, store, ["stat", "fd:1"]) };
  for (let turn = 0; turn < pick(setting, 5, 2); turn++) {
    captureCpu.push(runProcess(capturing).cpuMs);
    digestCpu.push(runProcess(stat).cpuMs);
  }
  const ratio = 1 + quantile(digestCpu, 0.5) / quantile(captureCpu, 0.5);
  const note = "computed lazily, so no goal: capture itself pays nothing";
  yield rows.value("sha-256: cpu of capture and first stat", "cpu of capture", "x", ratio, { note });
}
