/** Makes an fd of many lines in its own store, with the numbers needed to read near its end. */

import { rmSync } from "node:fs";
import { capture, fdtoolCommand, freshDirectory, logFile, type Setting } from "./bench_setting.ts";
import { outputOf, type Task } from "./run_process.ts";

/** fd:1 of `store`. */
export interface LargeFd {
  store: string;
  /** The path of its content. */
  content: string;
  lines: number;
  pages: number;
  chars: number;
}

/** Makes a store whose fd:1 has `byteCount` bytes of log lines. */
export function makeLargeFd(setting: Setting, name: string, byteCount: number): LargeFd {
  const store = freshDirectory(setting, name);
  const log = logFile(setting, "log", byteCount);
  capture(setting, store, log);
  rmSync(log);
  return describeLargeFd(setting, store);
}

/** Returns the counts of fd:1 in `store`. */
export function describeLargeFd(setting: Setting, store: string): LargeFd {
  const facts: { total_lines: number; pages: number } = JSON.parse(
    outputOf({ command: fdtoolCommand(setting, store, ["read", "fd:1", "--format", "json"]) }),
  );
  const list: { fds: { chars: number }[] } = JSON.parse(
    outputOf({ command: fdtoolCommand(setting, store, ["ls", "--format", "json"]) }),
  );
  return {
    store,
    content: outputOf({ command: fdtoolCommand(setting, store, ["path", "fd:1", "--format", "raw"]) }).trim(),
    lines: facts.total_lines,
    pages: facts.pages,
    chars: list.fds[0]!.chars,
  };
}

/** `fdtool read fd:1 ARGS` of that store. */
export function readTask(setting: Setting, { store }: LargeFd, ...args: string[]): Task {
  return { command: fdtoolCommand(setting, store, ["read", "fd:1", ...args]) };
}

/** Reads five lines, a hundred lines before the end. */
export function readNearEnd(setting: Setting, fd: LargeFd): Task {
  return readTask(setting, fd, "--lines", `${fd.lines - 100}-${fd.lines - 96}`);
}
