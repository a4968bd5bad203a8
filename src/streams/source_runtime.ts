/**
 * Whether the program that runs is fdtool itself, or a runtime that was given its source.
 *
 * @module
 */

import { basename } from "node:path";
import process from "node:process";

/** Programs that run the source; any other is fdtool. */
const RUNTIMES = ["deno", "bun", "node"] as const;

/** The runtime that runs the source; undefined in the binary. */
export function sourceRuntime(): (typeof RUNTIMES)[number] | undefined {
  const program = basename(process.execPath).replace(/\.exe$/i, "");
  return RUNTIMES.find((runtime) => runtime === program);
}
