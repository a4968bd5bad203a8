/**
 * How other programs start this fdtool: by its name where that finds it, else by its path.
 *
 * @module
 */

import { realpathSync } from "node:fs";
import { basename } from "node:path";
import process from "node:process";
import { findProgram } from "../running/find_program.ts";

/** `fdtool`, or, where PATH leads to another one or to none, the path of the binary that runs. */
export function ownProgram(cwd: string, searchPath: string | undefined): string {
  const found = findProgram("fdtool", cwd, searchPath);
  const isBinary = !["deno", "bun", "node"].includes(basename(process.execPath).replace(/\.exe$/, ""));
  if (!isBinary) return "fdtool";
  const own = realpathSync(process.execPath);
  return found.kind === "program" && realpathSync(found.path) === own ? "fdtool" : own;
}
