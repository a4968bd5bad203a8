/** Signals by name and number. */

import { readFileSync } from "node:fs";
import { ifPossible } from "../../../fd/system.ts";
import { ignoredBefore, RUNTIME_IGNORES } from "./ready_pipes.ts";

export const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM"] as const;

let ignored: Set<string> | undefined;

/**
 * Returns the signals that this process was started to ignore (`nohup`, a shell's `&`); none if the system does not
 * report them.
 */
export function ignoredSignals(): Set<string> {
  return ignored ??= ignoredIn();
}

/** Reads them from the system's report on the process. */
export function ignoredIn(readStatus = () => readFileSync("/proc/self/status", "latin1")): Set<string> {
  const status = ifPossible(readStatus) ?? "";
  const label = "\nSigIgn:\t";
  const at = status.indexOf(label);
  // The mask has 16 digits; the first 32 signals are in the last eight.
  const all = at < 0 ? 0 : parseInt(status.slice(at + label.length + 8, at + label.length + 16), 16);
  const mask = all & ~RUNTIME_IGNORES | ignoredBefore();
  if (mask === 0) return new Set();
  const numbers = process.getBuiltinModule("node:os").constants.signals;
  return new Set(Object.entries(numbers).flatMap(([name, number]) => mask >> number - 1 & 1 ? [name] : []));
}

/** `node:os` is loaded when it is needed: the start of every call may contain this file. */
function numberHere(signal: NodeJS.Signals): number | undefined {
  return process.getBuiltinModule("node:os").constants.signals[signal];
}

/** Returns a signal's number on this system or, if it has none here, on Linux. */
export function signalNumber(signal: NodeJS.Signals): number {
  return numberHere(signal) ?? LINUX_NUMBERS[signal] ?? 0;
}

/** Returns the name of a signal; undefined if it has none here. */
export function signalNamed(number: number): NodeJS.Signals | undefined {
  const numbers = process.getBuiltinModule("node:os").constants.signals;
  return (Object.keys(numbers) as NodeJS.Signals[]).find((name) => numbers[name] === number);
}

/** Signals that a call may name and that have no number on Windows. */
const LINUX_NUMBERS: Readonly<Partial<Record<NodeJS.Signals, number>>> = {
  SIGHUP: 1,
  SIGQUIT: 3,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGUSR2: 12,
  SIGALRM: 14,
  SIGTERM: 15,
};
