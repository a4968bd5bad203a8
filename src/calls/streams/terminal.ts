import { fstatSync, statSync } from "node:fs";
import type { Environment } from "../../../fd/mod.ts";
import { ifPossible } from "../../../fd/system.ts";

/** Whether the terminal is one of which nothing is known, as git decides; on Windows no terminal has a name. */
export function isDumb({ TERM = "" }: Environment): boolean {
  return TERM === "dumb" || TERM === "" && process.platform !== "win32";
}

/** Results by descriptor; none changes while a call runs. */
const known: (boolean | undefined)[] = [];

/** Whether the descriptor may be a terminal: a character device other than the null device. */
export function mayBeTerminal(descriptor: number): boolean {
  if (known[descriptor] !== undefined) return known[descriptor];
  return known[descriptor] = isDevice(descriptor) &&
    ifPossible(() => fstatSync(descriptor).rdev !== statSync("/dev/null").rdev) === true;
}

/** Whether what is written to the descriptor goes to no file and no reader: a terminal, or such as the null device. */
export function isDevice(descriptor: number): boolean {
  return ifPossible(() => fstatSync(descriptor).isCharacterDevice()) === true;
}

/** Whether another program reads from the descriptor. */
export function isPipe(descriptor: number): boolean {
  return ifPossible(() => fstatSync(descriptor).isFIFO()) === true;
}

/** Whether the descriptor is a terminal. Loads `node:tty`, which is slow, only if it may be one. */
export async function isTerminal(descriptor: number): Promise<boolean> {
  if (!mayBeTerminal(descriptor)) return false;
  const { isatty } = await import("node:tty");
  return isatty(descriptor);
}
