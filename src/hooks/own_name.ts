/**
 * How other programs start fdtool: by its name where PATH leads to it, else by the path of this one.
 *
 * @module
 */

import { realpathSync } from "node:fs";
import process from "node:process";
import { findProgram } from "../running/find_program.ts";
import { sourceRuntime } from "../streams/source_runtime.ts";

/** `fdtool`, or, where PATH has none, the path of the binary that runs. */
export function ownName(cwd: string, searchPath: string | undefined): string {
  if (findProgram("fdtool", cwd, searchPath).kind === "program") return "fdtool";
  return sourceRuntime() === undefined ? realpathSync(process.execPath) : "fdtool";
}
