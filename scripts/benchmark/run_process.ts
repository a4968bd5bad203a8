/**
 * Runs a whole process and measures it: the time from before its start until its end, by a monotonic clock, and the
 * processor time and peak memory of it and its children, as reported by the system.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** The cost of one run. `cpuMs` is user and system time together, of the process and all it waited for. */
export interface RunCost {
  wallMs: number;
  cpuMs: number;
}

/** A process to run: a program and its arguments, or a line for the shell. */
export interface Task {
  command: readonly string[];
  /** Done before each run, outside the measured time. */
  before?: (() => void) | undefined;
  /** Exit codes that are right; 0 unless given. */
  exitCodes?: readonly number[] | undefined;
  /** Variables besides {@link ENVIRONMENT}. */
  env?: Readonly<Record<string, string>> | undefined;
}

/** The part of Bun's `spawnSync` that is used here: it alone reports what a child used. */
declare const Bun: {
  spawnSync(options: {
    cmd: readonly string[];
    stdin: "ignore";
    stdout: "pipe";
    stderr: "pipe";
    env: Readonly<Record<string, string | undefined>>;
  }): {
    exitCode: number;
    stdout: Uint8Array;
    stderr: Uint8Array;
    resourceUsage: { cpuTime: { total: number | bigint } };
  };
};

/** A line for the shell as a command. */
export function shell(line: string): readonly string[] {
  return ["sh", "-c", line];
}

/** One word of a shell line. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The environment of every measured process, without the caller's variables, which could change the result. */
const ENVIRONMENT = { PATH: process.env["PATH"], HOME: "/nonexistent", LC_ALL: "C" };

/** Runs `task` once; returns its cost and what it wrote to stdout. Throws when it exits in another way than it should. */
export function runProcess(task: Task): RunCost & { stdout: Uint8Array } {
  task.before?.();
  const { command } = task;
  const startedAt = performance.now();
  const { exitCode, stdout, stderr, resourceUsage } = Bun.spawnSync({
    cmd: command,
    stdin: "ignore",
    // Not /dev/null: grep checks its output, and stops at the first match if that is /dev/null.
    stdout: "pipe",
    stderr: "pipe",
    env: { ...ENVIRONMENT, ...task.env },
  });
  const wallMs = performance.now() - startedAt;
  if (!(task.exitCodes ?? [0]).includes(exitCode)) {
    const said = new TextDecoder().decode(stderr);
    throw new Error(`${command.join(" ")} exited with ${exitCode}: ${said}`);
  }
  return { wallMs, cpuMs: Number(resourceUsage.cpuTime.total) / 1000, stdout };
}

/** Runs `task` once and gives what it wrote to stdout. */
export function outputOf(task: Task): string {
  return new TextDecoder().decode(runProcess(task).stdout);
}

const GNU_TIME = "/usr/bin/time";

/** How {@link peakMemoryOf} measures, or undefined if this system has no way. */
export const PEAK_MEMORY_METHOD = existsSync(GNU_TIME) ? "GNU time, %M" : undefined;

/**
 * The peak resident memory of `task`, or of the largest of its processes, in bytes; undefined if GNU time is not
 * installed. (A parent's own memory counts against a child it starts, so this program cannot measure it itself.)
 */
export function peakMemoryOf(task: Task, scratchDirectory: string): number | undefined {
  if (PEAK_MEMORY_METHOD === undefined) return undefined;
  const report = join(scratchDirectory, "peak");
  outputOf({ ...task, command: [GNU_TIME, "-f", "%M", "-o", report, ...task.command] });
  return Number(readFileSync(report, "utf8").trim().split("\n").at(-1)) * 1024;
}

/**
 * How many bytes `task` read from files under `directory`, by tracing its reads; undefined if strace is not
 * installed or may not trace.
 */
export function bytesReadFrom(directory: string, task: Task, scratchDirectory: string): number | undefined {
  const report = join(scratchDirectory, "trace");
  const traced = ["strace", "-f", "-y", "-e", "trace=read,pread64,readv,preadv,mmap", "-o", report];
  try {
    outputOf({ ...task, command: [...traced, ...task.command] });
  } catch {
    return undefined;
  }
  let byteCount = 0;
  for (const line of readFileSync(report, "utf8").split("\n")) {
    if (!line.includes(`<${directory}/`)) continue;
    byteCount += Number(/\) += (\d+)$/.exec(line)?.[1] ?? 0);
  }
  return byteCount;
}
