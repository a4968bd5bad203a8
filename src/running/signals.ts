/**
 * Signals by name and number: those that fdtool passes on to a command, and which of them its caller had it ignore
 * (`nohup`, a shell's `&`).
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { systemCode } from "../../fd/mod.ts";

/** Those that a command gets from fdtool when fdtool gets them. */
export const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/** The signals that this process was started to ignore; none where the system does not tell. */
export function ignoredSignals(): Set<string> {
  let status: string;
  try {
    status = readFileSync("/proc/self/status", "latin1");
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return new Set();
  }
  const mask = BigInt(`0x${/^SigIgn:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  return new Set(PASSED_ON.filter((signal) => (mask >> BigInt(signalNumber(signal) - 1)) & 1n));
}

/** A signal's number on this system. */
export function signalNumber(signal: NodeJS.Signals): number {
  return constants.signals[signal];
}
