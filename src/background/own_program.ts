import process from "node:process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { basename } from "node:path";

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
  // Another program, such as a test, may have loaded the source; only a bundle of the source has no such file.
  const source = fileURLToPath(new URL("../../main.ts", import.meta.url));
  const main = existsSync(source) ? source : process.argv[1];
  if (runtime === undefined || main === undefined) return { path, args: [] };
  return { path, args: [...RUNTIME_ARGUMENTS[runtime], main] };
}

/** Programs that run the source; any other program is fdtool's binary. */
const RUNTIMES = ["deno", "bun", "node"] as const;

/** The runtime that runs the source; undefined in the binary. */
export function sourceRuntime(): (typeof RUNTIMES)[number] | undefined {
  const program = basename(process.execPath).replace(/\.exe$/i, "");
  return RUNTIMES.find((runtime) => runtime === program);
}
