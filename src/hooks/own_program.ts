/**
 * How other programs start fdtool: by its name where PATH leads to it, else by the path of this one.
 *
 * @module
 */

import { realpathSync } from "node:fs";
import { basename } from "node:path";
import process from "node:process";
import { findProgram } from "../running/find_program.ts";

/** Programs that run the source, and are not fdtool. */
const RUNTIMES = ["deno", "bun", "node"];

/** `fdtool`, or, where PATH has none, the path of the binary that runs. */
export function ownProgram(cwd: string, searchPath: string | undefined): string {
  if (findProgram("fdtool", cwd, searchPath).kind === "program") return "fdtool";
  const isBinary = !RUNTIMES.includes(basename(process.execPath).replace(/\.exe$/, ""));
  return isBinary ? realpathSync(process.execPath) : "fdtool";
}
