/** Small calls and small items beside yarp, which keeps them in an SQLite database that a daemon writes. */

import { readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atMost, type Row, rowsOf } from "./benchmark_row.ts";
import { capture, fdtoolCommand, freshDirectory, logFile, pick, type Setting } from "./bench_setting.ts";
import { describeLargeFd, readTask } from "./large_fd.ts";
import { measureTurns } from "./measure_turns.ts";
import { outputOf, type Task } from "./run_process.ts";
import { logText, smallItem } from "./sample_data.ts";
import {
  archiveCalls,
  callWords,
  installedYarp,
  openArchive,
  YARP,
  type YarpArchive,
  yarpTask,
} from "./yarp_peer.ts";

const rows = rowsOf("yarp");
const MIB = 1 << 20;

/** Measures them. */
export function* yarpRows(setting: Setting): Iterable<Row> {
  const yarp = installedYarp(setting);
  if ("missing" in yarp) {
    yield rows.value("small calls and items", YARP, "x", undefined, { note: yarp.missing });
    return;
  }
  const open: YarpArchive[] = [];
  const archive = (name: string) => {
    open.push(openArchive(setting, yarp.program, name));
    return open.at(-1)!;
  };
  try {
    yield* itemRows(setting, archive("yarp-items"));
    yield* readRow(setting, archive("yarp-mib"));
    yield* runRows(setting, archive("yarp-runs"));
  } finally {
    for (const each of open) each.close();
  }
}

/** 10,000 small items: what they take, and how long it takes to say what there is. */
function* itemRows(setting: Setting, archive: YarpArchive): Iterable<Row> {
  const count = pick(setting, 10_000, 2000);
  setting.say(`making ${count} items twice …`);
  const store = freshDirectory(setting, "items");
  const maker = join(setting.checkout, "scripts", "benchmark", "make_fds.ts");
  outputOf({ command: [setting.bun, "run", maker, store, String(count), "own"] });
  archiveCalls(
    archive,
    Array.from({ length: count }, (_, item) => ({
      id: `item ${item}`,
      command: `make ${item}`,
      text: smallItem(item),
    })),
  );
  const ls = { command: fdtoolCommand(setting, store, ["ls"]) };
  // The list is cached once the directories have rested for two seconds; so they are made to look.
  const shards = join(store, "v2", "fds");
  for (const name of readdirSync(shards)) utimesSync(join(shards, name), 1, 1);
  outputOf(ls);
  yield rows.ratio(
    `ls of ${count} (the newest 100, and the count)`,
    `${YARP}, archive stats (counts only)`,
    measureTurns(ls, yarpTask(archive, "archive", "stats"), pick(setting, 40, 10)),
    atMost(2.5, 1.2),
  );
  const taken = takenBytes(store);
  yield rows.value(
    `disk, ${count} small items`,
    "blocks of one file each",
    "x",
    taken / (count * blockBytes(setting, smallItem(0))),
    atMost(1.5),
  );
  yield rows.value(
    `disk, ${count} small items`,
    `${YARP} (its log of writes included)`,
    "x",
    taken / takenBytes(archive.directory),
    { stretch: { most: 1 } },
  );
}

function* readRow(setting: Setting, archive: YarpArchive): Iterable<Row> {
  const store = freshDirectory(setting, "mib");
  capture(setting, store, logFile(setting, "log", MIB));
  const fd = describeLargeFd(setting, store);
  const text = logText(MIB).subarray(0, MIB).toString();
  const [reference = ""] = archiveCalls(archive, [{ id: "mib", command: "cat log", text }]);
  const first = fd.lines - 100;
  yield rows.ratio(
    "5 lines near the end of 1 MiB",
    `${YARP} read (decompresses all)`,
    measureTurns(
      readTask(setting, fd, "--lines", `${first}-${first + 4}`),
      yarpTask(archive, "read", reference, `${first}:${first + 4}`),
      pick(setting, 60, 15),
    ),
    atMost(1.3, 1),
  );
}

function* runRows(setting: Setting, archive: YarpArchive): Iterable<Row> {
  const store = freshDirectory(setting, "runs");
  const log = logFile(setting, "ten", 10_240);
  const turnCount = pick(setting, 60, 15);
  const command = ["grep", "-n", "Z", log];
  const run: Task = { command: [setting.fdtool, "run", "--store", store, "--", ...command] };
  yield rows.ratio(
    "run, 10 KB of output",
    `${YARP} run, which keeps nothing`,
    measureTurns(run, yarpTask(archive, "run", "--", ...command), turnCount),
  );
  // The daemon commits the beginning of a call, then its output; only `yarp run` is measured.
  const calls = Array.from({ length: turnCount + 1 }, (_, turn) => `run ${turn}`);
  archiveCalls(archive, calls.map((id) => ({ id, command: command.join(" ") })));
  let turn = 0;
  const archived: Task = {
    ...yarpTask(archive),
    get command() {
      return yarpTask(archive, "run", ...callWords(calls[turn++]!), "--", ...command).command;
    },
  };
  yield rows.ratio(
    "run, 10 KB of output",
    `${YARP} run, kept by its daemon`,
    measureTurns(run, archived, turnCount),
  );
}

/** The bytes of the disk's blocks that `text` takes as a file. */
function blockBytes(setting: Setting, text: string): number {
  const directory = freshDirectory(setting, "one");
  writeFileSync(join(directory, "file"), text);
  return takenBytes(directory) - takenBytes(freshDirectory(setting, "none"));
}

/** The bytes of the disk's blocks that all files under `directory` take, each file once. */
function takenBytes(directory: string): number {
  const blocks = new Map<number, number>();
  for (const { name, parentPath } of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const stat = statSync(join(parentPath, name));
    if (stat.isFile()) blocks.set(stat.ino, stat.blocks);
  }
  return [...blocks.values()].reduce((sum, count) => sum + count, 0) * 512;
}
