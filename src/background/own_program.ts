/**
 * How this program is started again, as a process of its own.
 *
 * @module
 */

import { basename } from "node:path";
import process from "node:process";

/** A program and the arguments that come before a call's own. */
export interface OwnProgram {
  path: string;
  args: readonly string[];
}

/** Runtimes that run the source; any other program is fdtool itself. */
const RUNTIME_ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  deno: ["run", "--allow-all", "--quiet", "--no-lock"],
  bun: [],
  node: [],
};

/** This program. */
export function ownProgram(): OwnProgram {
  const path = process.execPath;
  const runtime = RUNTIME_ARGUMENTS[basename(path).replace(/\.exe$/i, "")];
  const main = process.argv[1];
  if (runtime === undefined || main === undefined) return { path, args: [] };
  return { path, args: [...runtime, main] };
}
