/** Parse, run, render, exit code. A stub until the commands land: it answers `--version` only. @module */

import { writeSync } from "node:fs";
import { VERSION } from "./version.ts";

/** What the tool may use of the process it runs in, before anything is parsed. */
export interface Process {
  env: Readonly<Record<string, string | undefined>>;
  /** The effective user id; -1 where the system has none. */
  uid: number;
}

/** Runs one call and answers its exit code. */
export function runCli(args: readonly string[], _process: Process): Promise<number> {
  const known = args.length === 1 && args[0] === "--version";
  writeSync(known ? 1 : 2, known ? `fdtool ${VERSION}\n` : "fdtool: only --version yet\n");
  return Promise.resolve(known ? 0 : 2);
}
