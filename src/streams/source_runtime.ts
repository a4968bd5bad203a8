import { basename } from "node:path";
import process from "node:process";

/** Programs that run the source; any other program is fdtool's binary. */
const RUNTIMES = ["deno", "bun", "node"] as const;

/** The runtime that runs the source; undefined in the binary. */
export function sourceRuntime(): (typeof RUNTIMES)[number] | undefined {
  const program = basename(process.execPath).replace(/\.exe$/i, "");
  return RUNTIMES.find((runtime) => runtime === program);
}
