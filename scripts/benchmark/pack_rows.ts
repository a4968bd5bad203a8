/** Packed content: what it takes on the disk, and what reading and packing cost beside plain content and `zstd -3`. */

import { closeSync, cpSync, fstatSync, openSync, readdirSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { atMost, type Goals, type Row, rowsOf } from "./benchmark_row.ts";
import { capture, fdtoolCommand, freshDirectory, logFile, pick, type Setting } from "./bench_setting.ts";
import { describeLargeFd, readNearEnd, readTask } from "./large_fd.ts";
import { measureTurns } from "./measure_turns.ts";
import { outputOf } from "./run_process.ts";

const rows = rowsOf("pack");
const MIB = 1 << 20;

/** Measures them. */
export function* packRows(setting: Setting): Iterable<Row> {
  const mebibytes = pick(setting, 256, 32);
  const log = logFile(setting, "log", mebibytes * MIB);
  writeRareText(log);
  const plain = freshDirectory(setting, "plain");
  capture(setting, plain, log);
  const packed = freshDirectory(setting, "packed");
  const pack = { command: fdtoolCommand(setting, packed, ["gc", "--pack"]) };
  capture(setting, packed, log);
  outputOf(pack);
  const once = diskBytes(packed);
  capture(setting, packed, log);
  outputOf(pack);
  const percent = (name: string, bytes: number, goal: Goals) =>
    rows.value(name, "its plain content", "percent", bytes * 100 / statSync(log).size, goal);
  yield percent(`disk, ${mebibytes} MiB of log lines, packed`, once, atMost(27, 20));
  yield percent("disk, the same captured again", diskBytes(packed) - once, atMost(0.1));
  yield* packingRow(setting, plain, log);
  rmSync(log);
  yield* readingRows(setting, mebibytes, plain, packed);
}

function* packingRow(setting: Setting, plain: string, log: string): Iterable<Row> {
  const store = join(setting.directory, "packing");
  const name = "gc --pack, time";
  const goal = atMost(1.67, 1.11);
  const output = join(setting.directory, "log.zst");
  try {
    const turns = measureTurns(
      {
        command: fdtoolCommand(setting, store, ["gc", "--pack"]),
        before() {
          rmSync(store, { recursive: true, force: true });
          cpSync(plain, store, { recursive: true });
        },
      },
      { command: ["zstd", "-3", "--single-thread", "-q", "-f", log, "-o", output] },
      pick(setting, 7, 3),
    );
    yield rows.ratio(name, "zstd -3", turns, goal);
  } catch (thrown) {
    yield rows.value(name, "zstd -3", "x", undefined, { ...goal, note: `zstd: ${String(thrown)}` });
  } finally {
    rmSync(store, { recursive: true, force: true });
    rmSync(output, { force: true });
  }
}

function* readingRows(setting: Setting, mebibytes: number, plain: string, packed: string): Iterable<Row> {
  // Before anything is packed there, since naming the plain file of packed content makes one.
  const fd = describeLargeFd(setting, plain);
  const inPacked = { ...fd, store: packed };
  yield rows.ratio(
    `5 lines near the end of ${mebibytes} MiB, packed`,
    "plain",
    measureTurns(readNearEnd(setting, inPacked), readNearEnd(setting, fd), pick(setting, 60, 10)),
    atMost(1.25, 1.05),
  );
  const searched = (what: string, pattern: string, goals: Goals = {}) => {
    const [ours, theirs] = [packed, plain].map((store) => ({
      command: fdtoolCommand(setting, store, ["search", "fd:1", pattern]),
      exitCodes: [0, 1],
    }));
    const turns = measureTurns(ours!, theirs!, pick(setting, 9, 3));
    return rows.ratio(`search ${what}${mebibytes} MiB, packed`, "plain", turns, goals);
  };
  yield searched("", "no such text", atMost(1.6, 1.1));
  yield searched(`text in ${RARE_PLACES} places of `, RARE_TEXT);
  yield searched("a word of many lines in ", "request");
  const [ours, theirs] = [inPacked, fd].map((each) => readTask(setting, each, "--all", "--format", "raw"));
  const turns = measureTurns(ours!, theirs!, pick(setting, 5, 3));
  yield rows.ratio(`read --all of ${mebibytes} MiB, packed`, "plain", turns);
}

const RARE_TEXT = "the rarest text of all";
const RARE_PLACES = 16;

/** Writes it over other text, far apart. */
function writeRareText(path: string): void {
  const file = openSync(path, "r+");
  const step = fstatSync(file).size / RARE_PLACES;
  for (let place = 0; place < RARE_PLACES; place++) {
    writeSync(file, RARE_TEXT, Math.floor((place + 0.4) * step));
  }
  closeSync(file);
}

/** The bytes of all files under `directory`, each file once. */
function diskBytes(directory: string): number {
  const sizes = new Map<number, number>();
  for (const { name, parentPath } of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const stat = statSync(join(parentPath, name));
    if (stat.isFile()) sizes.set(stat.ino, stat.size);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}
