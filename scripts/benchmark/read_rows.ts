/** Reads near the end of a large fd, and searching and checking all of it. */

import { readFileSync, rmSync } from "node:fs";
import { ratioRow, type Row, timesRow } from "./benchmark_row.ts";
import { fdtoolCommand, pick, type Setting } from "./bench_setting.ts";
import { type LargeFd, makeLargeFd, readNearEnd, readTask } from "./large_fd.ts";
import { measureTurns } from "./measure_turns.ts";
import { bytesReadFrom, peakMemoryOf, quoted, shell, type Task } from "./run_process.ts";

const group = "read";
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

  yield ratioRow({
    group,
    name: `5 lines near the end of ${size}`,
    peer: "hello",
    now: { most: 1.45 },
    stretch: { most: 1.15 },
  }, measureTurns(lines, hello, turnCount));
  yield ratioRow({
    group,
    name: `a page near the end of ${size}`,
    peer: "hello",
    now: { most: 1.45 },
    stretch: { most: 1.15 },
  }, measureTurns(readTask(setting, large, "--start", String(large.pages - 5)), hello, turnCount));
  yield ratioRow(
    {
      group,
      name: `400 chars near the end of ${size}`,
      peer: "hello",
      now: { most: 1.45 },
      stretch: { most: 1.15 },
    },
    measureTurns(
      readTask(setting, large, "--mode", "char", "--start", String(large.chars - 10_000), "--count", "400"),
      hello,
      turnCount,
    ),
  );

  const fewTurns = pick(setting, 9, 5);
  const content = quoted(large.content);
  const scale = setting.quick ? "quick: a smaller fd, so smaller factors" : undefined;
  yield timesRow({
    group,
    name: "5 lines near the end, times faster",
    peer: "sed -n 'A,Bp;Bq'",
    now: { least: 50 },
    stretch: { least: 80 },
    note: scale,
  }, measureTurns(lines, { command: ["sed", "-n", `${first},${last}p;${last}q`, large.content] }, fewTurns));
  yield timesRow({
    group,
    name: "5 lines near the end, times faster",
    peer: "tail -n +A | head",
    now: { least: 20 },
    stretch: { least: 35 },
    note: scale,
  }, measureTurns(lines, { command: shell(`tail -n +${first} ${content} | head -n 5`) }, fewTurns));
  const readBytes = bytesReadFrom(large.store, lines, setting.directory);
  yield {
    group,
    name: "bytes read from the store",
    peer: "-",
    unit: "bytes",
    value: readBytes,
    now: { most: 512 * 1024 },
    stretch: { most: 128 * 1024 },
    note: readBytes === undefined ? "needs strace" : undefined,
  };
  yield {
    group,
    name: `peak memory, ${size}`,
    peer: "-",
    unit: "bytes",
    value: peakMemoryOf(lines, setting.directory),
    now: { most: 56 * MIB },
  };

  const small = makeLargeFd(setting, "one", MIB);
  yield ratioRow({
    group,
    name: `5 lines near the end of ${size}`,
    peer: "the same in 1 MiB",
    now: { most: 1.2 },
  }, measureTurns(lines, readNearEnd(setting, small), turnCount));

  yield* searchRows(setting, large, size, fewTurns);
  rmSync(large.store, { recursive: true });
  rmSync(small.store, { recursive: true });
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
  yield ratioRow({
    group,
    name: `search ${size}, text that is not there`,
    peer: "grep -c",
    now: { most: 3 },
  }, measureTurns(search("no such text"), grep("no such text"), turnCount));
  yield ratioRow({
    group,
    name: `search ${size}, rare text`,
    peer: "grep -c",
    now: { most: 3 },
  }, measureTurns(search(rare), grep(rare), turnCount));
  yield ratioRow({
    group,
    name: `search ${size}, text in every sixth line`,
    peer: "grep -c",
    now: { most: 3 },
  }, measureTurns(search("ERROR"), grep("ERROR"), turnCount));
  yield ratioRow({
    group,
    name: `search ${size}, regular expression`,
    peer: "grep -cE",
    note: "no goal",
  }, measureTurns(search("worker-(1|2)5\\].*token$"), grep("-E", "worker-(1|2)5\\].*token$"), 3));
  yield {
    group,
    name: "peak memory of a search",
    peer: "-",
    unit: "bytes",
    value: peakMemoryOf(search("ERROR"), setting.directory),
    note: "no goal of its own",
  };
  yield ratioRow(
    {
      group,
      name: `verify ${size}`,
      peer: "sha256sum",
      now: { most: 1.3 },
    },
    measureTurns(
      { command: fdtoolCommand(setting, large.store, ["verify"]) },
      { command: ["sha256sum", large.content] },
      pick(setting, 5, 3),
    ),
  );
}
