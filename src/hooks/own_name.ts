import { realpathSync } from "node:fs";
import process from "node:process";
import { findProgram } from "../streams/find_program.ts";
import { sourceRuntime } from "../streams/source_runtime.ts";

/** How other programs start fdtool: `fdtool` if PATH has it, else the path of this binary. */
export function ownName(cwd: string, searchPath: string | undefined): string {
  if (findProgram("fdtool", cwd, searchPath).kind === "program") return "fdtool";
  return sourceRuntime() === undefined ? realpathSync(process.execPath) : "fdtool";
}
