import process from "node:process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { basename } from "node:path";
import type { Environment } from "../../fd/mod.ts";

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

/** The runtime that runs the source; undefined in the binary, which is any other program. */
export function sourceRuntime(): keyof typeof RUNTIME_ARGUMENTS | undefined {
  const program = basename(process.execPath).replace(/\.exe$/i, "");
  return (["deno", "bun", "node"] as const).find((runtime) => runtime === program);
}

/** How `spawn` starts this program again with `words`, in the directory and environment of a call. */
export function ownCall(words: readonly string[], { cwd, env }: { cwd: string; env: Environment }) {
  const { path, args } = ownProgram();
  return { path, args: [...args, ...words], options: { cwd, env: { ...env } } };
}
