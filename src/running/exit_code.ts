/**
 * The exit codes of `run` (SPEC section 4): the command's own, or those that shells and `timeout` give to what is none.
 *
 * @module
 */

import type { FdFailure } from "../../fd/mod.ts";
import { signalNumber } from "./signal_command.ts";
import type { CommandEnd } from "./start_command.ts";

export const TIMED_OUT = 124;
export const NOT_STARTED = 125;
export const NOT_EXECUTABLE = 126;
export const NOT_FOUND = 127;
export const BY_SIGNAL = 128;

/** The exit code for a command that was started. */
export function runExitCode({ code, signal }: CommandEnd, isTimedOut: boolean): number {
  if (isTimedOut) return TIMED_OUT;
  if (signal !== undefined) return BY_SIGNAL + signalNumber(signal);
  if (code === undefined) throw new Error("a command ends with a code or by a signal");
  return code;
}

/** What has nothing to do with the program, but with what the system has left. */
const OUT_OF_RESOURCES: readonly string[] = ["EAGAIN", "ENOMEM", "EMFILE", "ENFILE"];

/** A failure that is the system's. */
export type SystemFailure = Extract<FdFailure, { action: string; code: string }>;

/** The exit code and the failure for a program that is there and could not be started; `code` is the system's. */
export function startFailure(path: string, code: string): { exitCode: number; failure: SystemFailure } {
  if (OUT_OF_RESOURCES.includes(code)) {
    return { exitCode: NOT_STARTED, failure: { kind: "read_error", path, action: "start", code } };
  }
  // The program is there, so what is not there is what its first line names.
  const action = code === "ENOENT" ? "find the interpreter of" : "execute";
  return { exitCode: NOT_EXECUTABLE, failure: { kind: "permission_error", path, action, code } };
}
