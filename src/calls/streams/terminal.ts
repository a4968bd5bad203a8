import { fstatSync, statSync } from "node:fs";
import { ifPossible, throwUnlessRefused } from "../../../fd/system.ts";

/** Results by descriptor; none changes while a call runs. */
const known: (boolean | undefined)[] = [];

/** Whether the descriptor may be a terminal: a character device other than the null device. */
export function mayBeTerminal(descriptor: number): boolean {
  if (known[descriptor] !== undefined) return known[descriptor];
  let isDevice = false;
  try {
    const stat = fstatSync(descriptor);
    isDevice = stat.isCharacterDevice();
    isDevice &&= stat.rdev !== statSync("/dev/null").rdev;
  } catch (thrown) {
    throwUnlessRefused(thrown);
  }
  return known[descriptor] = isDevice;
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
