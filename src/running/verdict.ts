/**
 * What fdtool's exit code says of a command that it was to run (contract, Capturing): the command's own, or why it has
 * none.
 *
 * @module
 */

import type { FdFailure } from "../../fd/mod.ts";
import type { Outcome } from "../terms/command.ts";
import { findProgram, SHELL } from "./find_program.ts";
import { signalNumber } from "./signals.ts";
import type { CommandEnd, CommandToStart } from "./start_command.ts";

export const TIMED_OUT = 124;
export const NOT_STARTED = 125;
export const NOT_EXECUTABLE = 126;
export const NOT_FOUND = 127;
/** Plus the number of the signal that ended the command. */
export const BY_SIGNAL = 128;

/** The program that a command's words mean, or the verdict that there is none. */
export type ResolvedCommand =
  | { kind: "start"; start: Pick<CommandToStart, "path" | "calledAs" | "args"> }
  | { kind: "refused"; outcome: Outcome };

/** Finds the program of `words`, as `execvp` does; a script that names no interpreter is one for sh. */
export function resolveCommand(
  words: readonly string[],
  cwd: string | undefined,
  searchPath: string | undefined,
): ResolvedCommand {
  const [calledAs = "", ...args] = words;
  const program = findProgram(calledAs, cwd, searchPath);
  switch (program.kind) {
    case "not_found":
      return { kind: "refused", outcome: { exitCode: NOT_FOUND, failures: [program.failure] } };
    case "not_executable":
      return { kind: "refused", outcome: { exitCode: NOT_EXECUTABLE, failures: [program.failure] } };
    case "program":
      return { kind: "start", start: { path: program.path, calledAs, args } };
    case "shell_script":
      return { kind: "start", start: { path: SHELL, calledAs: "sh", args: [program.path, ...args] } };
  }
}

/** What has nothing to do with the program, but with what the system has left. */
const OUT_OF_RESOURCES: readonly string[] = ["EAGAIN", "ENOMEM", "EMFILE", "ENFILE"];

/** A failure that is the system's. */
export type SystemFailure = Extract<FdFailure, { action: string; code: string }>;

/** The verdict on a program that was found and that the system did not start; `code` is the system's reason. */
export function startVerdict(path: string, code: string): { exitCode: number; failure: SystemFailure } {
  if (OUT_OF_RESOURCES.includes(code)) {
    return { exitCode: NOT_STARTED, failure: { kind: "read_error", path, action: "start", code } };
  }
  // The program is there, so what is not there is what its first line names.
  const action = code === "ENOENT" ? "find the interpreter of" : "execute";
  return { exitCode: NOT_EXECUTABLE, failure: { kind: "permission_error", path, action, code } };
}

/** The same as what comes of a call. */
export function startFailure(path: string, code: string): Outcome {
  const { exitCode, failure } = startVerdict(path, code);
  return { exitCode, failures: [failure] };
}

/** The verdict where fdtool failed before the command started. */
export function notStarted(failure: FdFailure): Outcome {
  return { exitCode: NOT_STARTED, failures: [failure] };
}

/** The exit code that tells how a command ended, as a shell has it. */
export function exitCodeOf({ code, signal }: CommandEnd): number {
  if (signal !== undefined) return BY_SIGNAL + signalNumber(signal);
  if (code === undefined) throw new Error("a command ends with a code or by a signal");
  return code;
}

/** The same for a command that may have been ended because its time was over. */
export function runExitCode(end: CommandEnd, isTimedOut: boolean): number {
  return isTimedOut ? TIMED_OUT : exitCodeOf(end);
}
