/**
 * Whether a descriptor is a terminal. `node:tty` is slow to load and most descriptors are not even character devices,
 * so it is asked last.
 *
 * @module
 */

import { fstatSync, statSync } from "node:fs";
import { systemCode } from "../../fd/mod.ts";

/** Whether the descriptor may be a terminal: it is a character device, and not the null device. */
export function mayBeTerminal(descriptor: number): boolean {
  try {
    const stat = fstatSync(descriptor);
    return stat.isCharacterDevice() && stat.rdev !== statSync("/dev/null").rdev;
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return false;
  }
}

/** Whether the descriptor is a terminal. */
export async function isTerminal(descriptor: number): Promise<boolean> {
  if (!mayBeTerminal(descriptor)) return false;
  const { isatty } = await import("node:tty");
  return isatty(descriptor);
}
