/**
 * Whether what is written to a stream is coloured: for people, never for a pipe unless it is asked for.
 *
 * @module
 */

import type { Environment } from "../fd/mod.ts";
import { isTerminal, mayBeTerminal } from "./terminal.ts";

/** `--color`. */
export type ColorChoice = "auto" | "always" | "never";

/** Whether {@link isColored} has to be asked: a file or a pipe takes no colours that were not asked for. */
export function mayBeColored(choice: ColorChoice | undefined, descriptor: number): boolean {
  return choice === "always" || choice !== "never" && mayBeTerminal(descriptor);
}

/** `auto` colours a terminal, unless `NO_COLOR` is set or the terminal is `dumb`. */
export async function isColored(
  choice: ColorChoice | undefined,
  env: Environment,
  descriptor: number,
): Promise<boolean> {
  if (choice === "always") return true;
  if (choice === "never" || env["NO_COLOR"] || env["TERM"] === "dumb") return false;
  return await isTerminal(descriptor);
}
