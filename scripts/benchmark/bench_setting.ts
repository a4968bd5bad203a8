/**
 * The setting of every group of rows: the programs, a directory, and the number of turns.
 */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outputOf, quoted, shell } from "./run_process.ts";
import { logText, writeRepeated } from "./sample_data.ts";

/** The programs and places of a run. */
export interface Setting {
  /** Fewer turns and smaller data: a look, not a result. */
  quick: boolean;
  fdtool: string;
  /** A program that writes two bytes, compiled as fdtool is. */
  hello: string;
  /** Path of Deno; empty if it is missing. */
  deno: string;
  bun: string;
  checkout: string;
  /** A directory of this run's own, in memory where the system has such. */
  directory: string;
  say(text: string): void;
}

/** `full`, or what a quick run takes instead. */
export function pick(setting: Setting, full: number, quick: number): number {
  return setting.quick ? quick : full;
}

/** An empty directory of that name; whatever was there is removed. */
export function freshDirectory(setting: Setting, name: string): string {
  const path = join(setting.directory, name);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { mode: 0o700 });
  return path;
}

/** Writes a file of log lines of `byteCount` bytes and gives its path. */
export function logFile(setting: Setting, name: string, byteCount: number): string {
  const path = join(setting.directory, name);
  writeRepeated(path, logText(Math.min(byteCount, 1 << 24)), byteCount);
  return path;
}

/** Writes `text` to a file and gives its path. */
export function textFile(setting: Setting, name: string, text: string): string {
  const path = join(setting.directory, name);
  writeFileSync(path, text);
  return path;
}

/** `fdtool ARGS --store STORE` as a command. */
export function fdtoolCommand(setting: Setting, store: string, args: readonly string[]): readonly string[] {
  return [setting.fdtool, ...args, "--store", store];
}

/** The same as words for the shell. */
export function fdtoolLine(setting: Setting, store: string, args: readonly string[]): string {
  return fdtoolCommand(setting, store, args).map(quoted).join(" ");
}

/** Stores the file as the next fd of `store`. */
export function capture(setting: Setting, store: string, path: string): void {
  outputOf({ command: shell(`${fdtoolLine(setting, store, ["capture", "--always"])} < ${quoted(path)}`) });
}
