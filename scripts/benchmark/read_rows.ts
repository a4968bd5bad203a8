/** Reads near the end of a large fd, and searching and checking all of it. */

import { readFileSync, rmSync } from "node:fs";
import { atLeast, atMost, type Row, rowsOf } from "./benchmark_row.ts";
import { fdtoolCommand, pick, type Setting } from "./bench_setting.ts";
import { type LargeFd, makeLargeFd, readNearEnd, readTask } from "./large_fd.ts";
import { measureTurns } from "./measure_turns.ts";
import { bytesReadFrom, peakMemoryOf, quoted, shell, type Task } from "./run_process.ts";

const rows = rowsOf("read");
const MIB = 1 << 20;

/** Measures them. */
export function* readRows(setting: Setting): Iterable<Row> {
  const largeBytes = pick(setting, 1024, 256) * MIB;
  const turnCount = pick(setting, 40, 10);
  setting.say(`making an fd of ${largeBytes / MIB} MiB …`);
  const large = makeLargeFd(setting, "large", largeBytes);
  const size = `${largeBytes / MIB} MiB`;
  const hello: Task = { command: [setting.hello] };
  const [first, last] = [large.lines - 100, large.lines - 96];
  const lines = readNearEnd(setting, large);

  const near = (what: string, task: Task) => {
    const turns = measureTurns(task, hello, turnCount);
    return rows.ratio(`${what} near the end of ${size}`, "hello", turns, atMost(1.45, 1.15));
  };
  const chars = ["--mode", "char", "--start", String(large.chars - 10_000), "--count", "400"];
  yield near("5 lines", lines);
  yield near("a page", readTask(setting, large, "--start", String(large.pages - 5)));
  yield near("400 chars", readTask(setting, large, ...chars));

  const fewTurns = pick(setting, 9, 5);
  const content = quoted(large.content);
  const scale = setting.quick ? "quick: a smaller fd, so smaller factors" : undefined;
  yield rows.times(
    "5 lines near the end, times faster",
    "sed -n 'A,Bp;Bq'",
    measureTurns(lines, { command: ["sed", "-n", `${first},${last}p;${last}q`, large.content] }, fewTurns),
    { ...atLeast(50, 80), note: scale },
  );
  yield rows.times(
    "5 lines near the end, times faster",
    "tail -n +A | head",
    measureTurns(lines, { command: shell(`tail -n +${first} ${content} | head -n 5`) }, fewTurns),
    { ...atLeast(20, 35), note: scale },
  );
  const readBytes = bytesReadFrom(large.store, lines, setting.directory);
  yield rows.value("bytes read from the store", "-", "bytes", readBytes, {
    ...atMost(512 * 1024, 128 * 1024),
    note: readBytes === undefined ? "needs strace" : undefined,
  });
  const peak = peakMemoryOf(lines, setting.directory);
  yield rows.value(`peak memory, ${size}`, "-", "bytes", peak, atMost(56 * MIB));

  yield* searchRows(setting, large, size, fewTurns);
  rmSync(large.store, { recursive: true });
}

function* searchRows(setting: Setting, large: LargeFd, size: string, turnCount: number): Iterable<Row> {
  const search = (...args: string[]): Task => ({
    command: fdtoolCommand(setting, large.store, ["search", "fd:1", ...args]),
    exitCodes: [0, 1],
  });
  const grep = (...args: string[]): Task => ({
    command: ["grep", "-c", ...args, large.content],
    exitCodes: [0, 1],
  });
  // In the last line only, as far as the content knows.
  const rare = readFileSync(large.content).subarray(-60).toString().match(/id=(\d+)/)?.[0] ?? "id=";
  const texts = {
    "text that is not there": "no such text",
    "rare text": rare,
    "text in every sixth line": "ERROR",
  };
  for (const [what, text] of Object.entries(texts)) {
    const turns = measureTurns(search(text), grep(text), turnCount);
    yield rows.ratio(`search ${size}, ${what}`, "grep -c", turns, atMost(3));
  }
  yield rows.ratio(
    `search ${size}, regular expression`,
    "grep -cE",
    measureTurns(search("worker-(1|2)5\\].*token$"), grep("-E", "worker-(1|2)5\\].*token$"), 3),
    { note: "no goal" },
  );
  const peak = peakMemoryOf(search("ERROR"), setting.directory);
  yield rows.value("peak memory of a search", "-", "bytes", peak, { note: "no goal of its own" });
  yield rows.ratio(
    `verify ${size}`,
    "sha256sum",
    measureTurns(
      { command: fdtoolCommand(setting, large.store, ["verify"]) },
      { command: ["sha256sum", large.content] },
      pick(setting, 5, 3),
    ),
    atMost(1.3),
  );
}
