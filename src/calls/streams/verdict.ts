/**
 * fdtool's exit code for a command that it runs (contract, Capturing): the command's own, or why it has none.
 */

import process from "node:process";
import type { FdFailure } from "../../../fd/system.ts";
import type { Outcome } from "../terms/command.ts";
import { findProgram, SHELL } from "./find_program.ts";
import { signalNumber } from "./signals.ts";
import { type CommandEnd, type CommandToStart, StartError } from "./start_command.ts";

export const TIMED_OUT = 124;
export const NOT_STARTED = 125;
export const NOT_EXECUTABLE = 126;
export const NOT_FOUND = 127;
/** Plus the number of the signal that ended the command. */
export const BY_SIGNAL = 128;

type ResolvedCommand =
  | { kind: "start"; start: Pick<CommandToStart, "path" | "calledAs" | "args" | "verbatim"> }
  | { kind: "refused"; outcome: Outcome };

/** Finds the program of `words`; a script without an interpreter line becomes a call of sh. */
export async function resolveCommand(
  words: readonly string[],
  cwd: string | undefined,
  searchPath: string | undefined,
): Promise<ResolvedCommand> {
  const [calledAs = "", ...args] = words;
  const program = findProgram(calledAs, cwd, searchPath);
  switch (program.kind) {
    case "not_found":
      return { kind: "refused", outcome: { exitCode: NOT_FOUND, failures: [program.failure] } };
    case "not_executable":
      return { kind: "refused", outcome: { exitCode: NOT_EXECUTABLE, failures: [program.failure] } };
    case "program":
      if (process.platform === "win32") return await resolveOnWindows(program.path, calledAs, args);
      return { kind: "start", start: { path: program.path, calledAs, args } };
    case "shell_script":
      return { kind: "start", start: { path: SHELL, calledAs: "sh", args: [program.path, ...args] } };
  }
}

async function resolveOnWindows(
  path: string,
  calledAs: string,
  args: readonly string[],
): Promise<ResolvedCommand> {
  const { windowsStart } = await import("./windows_start.ts");
  const start = windowsStart(path, calledAs, args);
  if (start !== undefined) return { kind: "start", start };
  const wanted = "words without line breaks, which cmd.exe cannot pass to a batch file";
  const failure = { kind: "invalid_parameter", field: "CMD", got: calledAs, wanted } as const;
  return { kind: "refused", outcome: { exitCode: NOT_EXECUTABLE, failures: [failure] } };
}

/** Failures of the system, not of the program. */
const OUT_OF_RESOURCES: readonly string[] = ["EAGAIN", "ENOMEM", "EMFILE", "ENFILE"];

type SystemFailure = Extract<FdFailure, { action: string; code: string }>;

/** The exit code and failure if the system did not start an existing program; `code` is the system's. */
export function startVerdict(path: string, code: string): { exitCode: number; failure: SystemFailure } {
  if (OUT_OF_RESOURCES.includes(code)) {
    return { exitCode: NOT_STARTED, failure: { kind: "read_error", path, action: "start", code } };
  }
  // The program exists, so the interpreter in its first line is missing.
  const action = code === "ENOENT" ? "find the interpreter of" : "execute";
  return { exitCode: NOT_EXECUTABLE, failure: { kind: "permission_error", path, action, code } };
}

/** Makes the outcome of a program at `path` that could not be started. Throws on all but a {@link StartError}. */
export function startFailure(path: string): (thrown: unknown) => Outcome {
  return (thrown) => {
    if (!(thrown instanceof StartError)) throw thrown;
    const { exitCode, failure } = startVerdict(path, thrown.code);
    return { exitCode, failures: [failure] };
  };
}

/** The exit code of an ended command, as a shell would report it. */
export function exitCodeOf({ code, signal }: CommandEnd): number {
  if (signal !== undefined) return BY_SIGNAL + signalNumber(signal);
  if (code === undefined) throw new Error("a command ends with a code or by a signal");
  return code;
}

/** The same for a command with a time limit. */
export function runExitCode(end: CommandEnd, isTimedOut: boolean): number {
  return isTimedOut ? TIMED_OUT : exitCodeOf(end);
}

/** The outcome of a program in whose place this process was started: its signal ends this process, too, once all is written. */
export function endedLike(end: CommandEnd, outcome: Omit<Outcome, "exitCode">): Outcome {
  const { signal } = end;
  const exitCode = exitCodeOf(end);
  if (signal === undefined) return { ...outcome, exitCode };
  return {
    ...outcome,
    exitCode,
    async afterwards() {
      const failures = await outcome.afterwards?.() ?? [];
      await endBy(signal);
      return failures;
    },
  };
}

/** A signal may come before Deno has taken the listener off: then it is sent again. */
const MAX_KILLS = 20;

/** Ends this process by `signal`. If the runtime does not know it, the exit code tells it. */
async function endBy(signal: NodeJS.Signals): Promise<void> {
  try {
    const listener = () => {};
    // Runtimes ignore SIGPIPE; a listener that goes leaves the system's default.
    if (signal !== "SIGKILL") process.on(signal, listener).off(signal, listener);
    for (let sent = 0; sent < MAX_KILLS; sent++) {
      process.kill(process.pid, signal);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
  }
}
