/**
 * Cost by size. Calls of constant time are compared with the same call on the smallest fd; calls of linear time with a
 * peer at the same size and, at the largest sizes, by the cost of each further byte.
 */

import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { atMost, type Goals, type Row, rowsOf } from "./benchmark_row.ts";
import {
  capture,
  fdtoolCommand,
  fdtoolLine,
  freshDirectory,
  logFile,
  type Setting,
  textFile,
} from "./bench_setting.ts";
import { describeLargeFd, type LargeFd, makeLargeFd, readNearEnd } from "./large_fd.ts";
import { measureTurns, type Turns } from "./measure_turns.ts";
import { bytesReadFrom, outputOf, quoted, shell, type Task } from "./run_process.ts";

const rows = rowsOf("scale");
const MIB = 1 << 20;
const GIB = 1 << 30;
const FLAT = atMost(1.2);

/** Measures them. */
export function* scaleRows(setting: Setting): Iterable<Row> {
  const sizes = setting.quick ? [MIB, 8 * MIB, 32 * MIB, 128 * MIB] : [MIB, 32 * MIB, 256 * MIB, GIB];
  const small = textFile(setting, "small", "a small output\n".repeat(20));
  const linear = new Map<string, Map<number, Turns>>();
  let smallest: LargeFd | undefined;
  for (const byteCount of sizes) {
    const size = `${byteCount / MIB} MiB`;
    setting.say(`${size} …`);
    const turnCount = setting.quick || byteCount > 256 * MIB ? 3 : byteCount > 32 * MIB ? 5 : 9;
    const store = `scale-${byteCount}`;
    const captures = captureTurns(setting, store, byteCount, turnCount);
    const fd = describeLargeFd(setting, join(setting.directory, store));
    smallest ??= fd;

    const linearTurns = {
      capture: { peer: "cat x | cat > file", turns: captures },
      search: { peer: "grep -c", turns: searchTurns(setting, fd, "no such text", turnCount) },
      verify: {
        peer: "sha256sum",
        turns: measureTurns(
          { command: fdtoolCommand(setting, fd.store, ["verify"]) },
          { command: ["sha256sum", fd.content] },
          Math.min(turnCount, 5),
        ),
      },
    };
    for (const [series, { peer, turns }] of Object.entries(linearTurns)) {
      linear.set(series, (linear.get(series) ?? new Map<number, Turns>()).set(byteCount, turns));
      yield rows.ratio(`${series}, ${size}`, peer, turns, { point: { series, byteCount } });
    }

    const flat: Readonly<Record<string, (fd: LargeFd) => Task>> = {
      "read near the end": (fd) => readNearEnd(setting, fd),
      stat: ({ store }) => ({ command: fdtoolCommand(setting, store, ["stat", "fd:1"]) }),
      "small capture": ({ store }) => ({
        command: shell(`exec ${fdtoolLine(setting, store, ["capture", "--always"])} < ${quoted(small)}`),
      }),
    };
    for (const [series, taskOn] of Object.entries(flat)) {
      const turns = measureTurns(taskOn(fd), taskOn(smallest), setting.quick ? 7 : 20);
      yield flatRow(`${series}, ${size}`, turns, { point: { series, byteCount } });
    }
    if (fd !== smallest) rmSync(fd.store, { recursive: true });
  }
  for (const [series, bySize] of linear) yield* growthRows(series, bySize);
  if (smallest !== undefined) yield* manyLinesRows(setting, smallest);
}

function flatRow(name: string, turns: Turns, goals: Goals = {}): Row {
  return rows.ratio(name, "the same by 1 MiB", turns, { ...FLAT, ...goals });
}

/** Reads near the end of `fd`, and of the smallest. */
function nearEndTurns(setting: Setting, fd: LargeFd, smallest: LargeFd): Turns {
  return measureTurns(readNearEnd(setting, fd), readNearEnd(setting, smallest), setting.quick ? 7 : 20);
}

/** Captures that many bytes of log lines, and leaves the last of them as fd:1 of the store of that name. */
function captureTurns(setting: Setting, store: string, byteCount: number, turnCount: number): Turns {
  const log = logFile(setting, "log", byteCount);
  const copy = join(setting.directory, "copy");
  const program = fdtoolLine(setting, join(setting.directory, store), ["capture", "--always"]);
  const turns = measureTurns(
    {
      before: () => freshDirectory(setting, store),
      command: shell(`cat ${quoted(log)} | ${program}`),
    },
    {
      before: () => rmSync(copy, { force: true }),
      command: shell(`cat ${quoted(log)} | cat > ${quoted(copy)}`),
    },
    turnCount,
  );
  for (const path of [log, copy]) rmSync(path);
  return turns;
}

function searchTurns(setting: Setting, fd: LargeFd, text: string, turnCount: number): Turns {
  const exitCodes = [0, 1];
  return measureTurns(
    { command: fdtoolCommand(setting, fd.store, ["search", "fd:1", text]), exitCodes },
    { command: ["grep", "-c", text, fd.content], exitCodes },
    turnCount,
  );
}

/** The cost of a further byte: relative to the peer's (the stated constant) and, at the largest sizes, to the previous. */
export function* growthRows(series: string, bySize: ReadonlyMap<number, Turns>): Iterable<Row> {
  const points = [...bySize].map(([byteCount, turns]) => ({ byteCount, turns }));
  const [first, , beforeLast, last] = points;
  if (first === undefined || beforeLast === undefined || last === undefined) {
    throw new Error(`${series} needs four sizes, not ${points.length}`);
  }
  type Point = typeof first;
  const perByte = (from: Point, to: Point, side: "ours" | "peer") =>
    (to.turns[side].wallMs - from.turns[side].wallMs) / (to.byteCount - from.byteCount);
  const own = perByte(first, last, "ours");
  const perGiB = `${(own * GIB / 1000).toFixed(2)} s a GiB here`;
  yield rows.value(
    `${series}: each byte beyond the first MiB`,
    "the same of the peer",
    "x",
    own / perByte(first, last, "peer"),
    { note: `the constant of its linear cost; ${perGiB}; no goal of its own` },
  );
  yield rows.value(
    `${series}: a byte of the largest step`,
    "one of the steps before",
    "x",
    perByte(beforeLast, last, "ours") / perByte(first, beforeLast, "ours"),
    { note: "1 is linear; no goal of its own" },
  );
}

/** Very many short lines. */
function* manyLinesRows(setting: Setting, smallest: LargeFd): Iterable<Row> {
  const lineCount = setting.quick ? 1_000_000 : 10_000_000;
  setting.say(`${lineCount} lines …`);
  const store = freshDirectory(setting, "many-lines");
  const lines = join(setting.directory, "lines");
  outputOf({ command: shell(`seq ${lineCount} > ${quoted(lines)}`) });
  capture(setting, store, lines);
  rmSync(lines);
  const fd = describeLargeFd(setting, store);
  // About 54,000 of the numbers up to 10,000,000; the answer's total must equal grep's.
  const text = "777";
  const found: { total: number } = JSON.parse(
    outputOf({ command: fdtoolCommand(setting, store, ["search", "fd:1", text, "--format", "json"]) }),
  );
  const counted = Number(outputOf({ command: ["grep", "-c", text, fd.content] }));
  if (found.total !== counted) throw new Error(`search found ${found.total} lines, grep ${counted}`);
  const turns = searchTurns(setting, fd, text, setting.quick ? 3 : 7);
  yield rows.ratio(`search of ${lineCount} lines, ${counted} hits`, "grep -c", turns, atMost(3));
  yield flatRow(`5 lines near the end of ${lineCount} lines`, nearEndTurns(setting, fd, smallest));
  rmSync(store, { recursive: true });
}

const HUGE_BYTES = 20 * GIB;
const SPARE_BYTES = 2 * GIB;

/** The system's name for a file system in memory. */
const TMPFS_TYPE = 0x01021994;

/** A sentence about what `--huge` needs and `directory` does not have; undefined if it has everything. */
export function lackOfSpace(directory: string, type: number, freeBytes: number): string | undefined {
  const needed = (HUGE_BYTES + SPARE_BYTES) / GIB;
  const free = (freeBytes / GIB).toFixed(1);
  if (type === TMPFS_TYPE) {
    return `--huge needs ${needed} GiB on a disk, and ${directory} is in memory; TMPDIR names another directory`;
  }
  if (freeBytes >= HUGE_BYTES + SPARE_BYTES) return undefined;
  return `--huge needs ${needed} GiB free in ${directory}, which has ${free}; TMPDIR names another directory`;
}

/** Throws where an fd of 20 GiB has no room: before anything is measured. */
export function checkHugeSpace(): void {
  const { type, bavail, bsize } = statfsSync(tmpdir());
  const lack = lackOfSpace(tmpdir(), type, bavail * bsize);
  if (lack !== undefined) throw new Error(lack);
}

/** Reads of an fd of 20 GiB, on a disk: the bytes read must not depend on the size. */
export function* hugeRows(setting: Setting): Iterable<Row> {
  checkHugeSpace();
  const directory = mkdtempSync(join(tmpdir(), "fdtool-bench-huge-"));
  const removeAll = () => rmSync(directory, { recursive: true, force: true });
  process.on("exit", removeAll);
  try {
    setting.say(`making an fd of ${HUGE_BYTES / GIB} GiB in ${directory} …`);
    const huge = freshDirectory({ ...setting, directory }, "huge");
    const piece = logFile(setting, "piece", 256 * MIB);
    const pieces = HUGE_BYTES / (256 * MIB);
    // Without limits, which would store only head and tail, or remove the fd.
    const line = `FDTOOL_MAX_BYTES=0 FDTOOL_QUOTA=0 ${fdtoolLine(setting, huge, ["capture", "--always"])}`;
    outputOf({
      command: shell(`for piece in $(seq ${pieces}); do cat ${quoted(piece)}; done | ${line}`),
    });
    rmSync(piece);
    const fd = describeLargeFd(setting, huge);
    const one = makeLargeFd(setting, "one", MIB);
    const name = `${HUGE_BYTES / GIB} GiB`;
    const point = { series: "read near the end", byteCount: HUGE_BYTES };
    yield flatRow(`read near the end, ${name}`, nearEndTurns(setting, fd, one), { point, note: "on a disk" });
    const value = bytesReadFrom(huge, readNearEnd(setting, fd), setting.directory);
    yield rows.value(`bytes read from the store, ${name}`, "-", "bytes", value, {
      ...atMost(512 * 1024, 128 * 1024),
      note: value === undefined ? "needs strace" : undefined,
    });
  } finally {
    removeAll();
    process.off("exit", removeAll);
  }
}
