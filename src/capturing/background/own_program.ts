import process from "node:process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { basename } from "node:path";
import type { Readable } from "node:stream";
import type { Host } from "../../calls/terms/command.ts";

const RUNTIME_ARGUMENTS = {
  deno: ["run", "--allow-all", "--quiet", "--no-lock"],
  bun: [],
  node: [],
} as const;

/** How to start this program again as another process: `args` precede a call's own. */
function ownProgram(): { path: string; args: readonly string[] } {
  const path = process.execPath;
  const runtime = sourceRuntime();
  // Another program, such as a test, may have loaded the source; only a bundle of the source has no such file.
  const source = fileURLToPath(new URL("../../../main.ts", import.meta.url));
  const main = existsSync(source) ? source : process.argv[1];
  if (runtime === undefined || main === undefined) return { path, args: [] };
  return { path, args: [...RUNTIME_ARGUMENTS[runtime], main] };
}

/** The runtime that runs the source; undefined in the binary, which is any other program. */
export function sourceRuntime(): keyof typeof RUNTIME_ARGUMENTS | undefined {
  const program = basename(process.execPath).replace(/\.exe$/i, "");
  return (["deno", "bun", "node"] as const).find((runtime) => runtime === program);
}

/** How `spawn` starts `command` of this program with `words`: in the directory and environment of a call, and with its store. */
export function ownCall(
  [command = "", ...words]: readonly string[],
  { cwd, env, storeOption }: Pick<Host, "cwd" | "env" | "storeOption">,
) {
  const { path, args } = ownProgram();
  const store = storeOption === undefined ? [] : ["--store", storeOption];
  return { path, args: [...args, command, ...store, ...words], options: { cwd, env: { ...env } } };
}

/** The text of an output; of a longer one the last `most` UTF-16 units. */
export async function textOf(stream: Readable, most = Infinity): Promise<string> {
  stream.setEncoding("utf8");
  let text = "";
  for await (const piece of stream) text = `${text}${piece}`.slice(-most);
  return text;
}
