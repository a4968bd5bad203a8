import process from "node:process";
import { sourceRuntime } from "../streams/source_runtime.ts";

/** A program, and the arguments that precede a call's own. */
export interface OwnProgram {
  path: string;
  args: readonly string[];
}

const RUNTIME_ARGUMENTS = {
  deno: ["run", "--allow-all", "--quiet", "--no-lock"],
  bun: [],
  node: [],
} as const;

/** How to start this program again as another process. */
export function ownProgram(): OwnProgram {
  const path = process.execPath;
  const runtime = sourceRuntime();
  const main = process.argv[1];
  if (runtime === undefined || main === undefined) return { path, args: [] };
  return { path, args: [...RUNTIME_ARGUMENTS[runtime], main] };
}
