/** Starts a command so that its output arrives in the order in which it was written. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ifPossible, systemCode } from "../../../fd/system.ts";
import { findProgram, hasShell, interpreterOf, SHELL } from "./find_program.ts";
import { ignoredSignals, signalNumber } from "./signals.ts";
import { type PipeReading, readPipe, readStream, type Take } from "./output_pipe.ts";
import type { OutputPipe } from "./ready_pipes.ts";
import { takeInOrder } from "./take_in_order.ts";
import type { Environment } from "../../../fd/mod.ts";

const IS_WINDOWS = process.platform === "win32";

export interface CommandToStart {
  path: string;
  calledAs: string;
  args: readonly string[];
  /** Undefined: the caller's directory, even if it was deleted. */
  cwd: string | undefined;
  env: Environment;
  /** Start it in its own process group and session, which can be signalled as one. */
  ownGroup: boolean;
  noInput?: boolean | undefined;
  /** On Windows: the arguments are a command line, which is not quoted again. */
  verbatim?: boolean | undefined;
  /** Descriptors above 2 to pass on under the same numbers ({@link inheritedDescriptors}). */
  descriptors?: readonly number[] | undefined;
  /** Streams to close ({@link closedStreams}). */
  closed?: readonly number[] | undefined;
}

export interface CommandEnd {
  code: number | undefined;
  signal: NodeJS.Signals | undefined;
}

export interface RunningCommand {
  pid: number;
  ended: Promise<CommandEnd>;
  readings: readonly PipeReading[];
  /** How long it had run before fdtool knew it. */
  elapsedMs?: number;
}

/** A command that could not be started; `code` is the system's, such as `ENOEXEC`. */
export class StartError extends Error {
  override readonly name = "StartError";
  constructor(readonly code: string) {
    super(code);
  }
}

/**
 * Starts `command`. Its stdout goes to `takeOut`; its stderr goes to `takeErr`, in the order of {@link takeInOrder}, or,
 * without one, to `takeOut` too, in the order of the writes.
 *
 * @param pipes one for each taker; undefined if {@link makePipes} failed. This function closes them.
 * @throws {StartError}
 */
export async function startCommand(
  command: CommandToStart,
  pipes: readonly OutputPipe[] | undefined,
  takeOut: Take,
  takeErr: Take | undefined,
): Promise<RunningCommand> {
  const [out, err = out] = pipes ?? [];
  if (out === undefined || err === undefined) return await startOnStreams(command, takeOut, takeErr);
  const ends = new Set([out, err]);
  let started: Awaited<ReturnType<typeof start>>;
  try {
    started = await start(command, [stdinOf(command), out.writeEnd, err.writeEnd]);
  } catch (thrown) {
    for (const { readEnd } of ends) closeSync(readEnd);
    throw thrown;
  } finally {
    for (const { writeEnd } of ends) closeSync(writeEnd);
  }
  const { pid, ended } = started;
  return { pid, ended, readings: readInOrder([out.readEnd, err.readEnd], takeOut, takeErr, ended) };
}

/** Reads one pipe for each taker of a command, which `ended` is the end of. */
export function readInOrder(
  [out, err]: readonly number[],
  takeOut: Take,
  takeErr: Take | undefined,
  ended: Promise<unknown>,
): PipeReading[] {
  const soon = Promise.race([
    ended.then(() => true),
    new Promise<false>((resolve) => setTimeout(() => resolve(false), SOON_MS).unref()),
  ]);
  const readings: PipeReading[] = [];
  const [first, second] = takeErr === undefined ? [takeOut] : takeInOrder([takeOut, takeErr], readings);
  readings.push(readPipe(out!, first, soon));
  if (second !== undefined) readings.push(readPipe(err!, second, soon));
  return readings;
}

/** A command that ends within this time needs no thread that reads its output. */
const SOON_MS = 5;

/**
 * Starts `command` on the caller's stderr, and on its stdout or another descriptor. Its stdin is the caller's, a descriptor,
 * or a stream, which is then returned.
 *
 * @throws {StartError}
 */
export async function startAttached(
  command: CommandToStart,
  stdin: "inherit" | "pipe" | number,
  stdout: "inherit" | number = "inherit",
) {
  const { child, pid, ended } = await start(command, [stdin, stdout, "inherit"]);
  return { pid, ended, stdin: child.stdin };
}

/** Starts it on the runtime's streams: sh joins stdout and stderr in one stream, or else there are two. */
async function startOnStreams(
  command: CommandToStart,
  takeOut: Take,
  takeErr: Take | undefined,
): Promise<RunningCommand> {
  const isOne = takeErr === undefined && hasShell();
  const { child, pid, ended } = isOne
    ? await start(throughShell(command, "", " 2>&1"), [stdinOf(command), "pipe", "inherit"])
    : await start(command, [stdinOf(command), "pipe", "pipe"]);
  const readings = [];
  if (child.stdout !== null) readings.push(readStream(child.stdout, takeOut));
  if (child.stderr !== null) readings.push(readStream(child.stderr, takeErr ?? takeOut));
  return { pid, ended, readings };
}

function stdinOf({ noInput }: CommandToStart): "inherit" | "ignore" {
  return noInput === true ? "ignore" : "inherit";
}

/** Wraps the command in sh, which runs `first` and then becomes the command with `redirection`. */
function throughShell(command: CommandToStart, first: string, redirection = ""): CommandToStart {
  const args = ["-c", `${first}exec "$@"${redirection}`, "sh", callable(command), ...command.args];
  return { ...command, path: SHELL, calledAs: "sh", args };
}

/** The word by which another program starts the command: the one that it was called by, which it sees, if that finds it. */
function callable({ path, calledAs, cwd, env }: CommandToStart): string {
  const found = findProgram(calledAs, cwd, env["PATH"]);
  return found.kind === "program" && found.path === path && !calledAs.startsWith("-") ? calledAs : path;
}

const ENV = "/usr/bin/env";

/**
 * Runtimes open closed streams, and reset ignored signals in children, so another program closes and ignores those that were
 * closed and ignored when fdtool was started, and becomes the command: GNU env, which changes nothing else, or else sh, which
 * sets PWD and drops variables whose names are not its own.
 *
 * @throws {StartError}
 */
function startedAlike(command: CommandToStart): CommandToStart {
  const ignored = [...ignoredSignals()].map((signal) => signalNumber(signal as NodeJS.Signals));
  const { closed = [] } = command;
  if (ignored.length + closed.length === 0 || !hasShell()) return command;
  // Those two would report the script as missing.
  const interpreter = interpreterOf(command.path);
  if (interpreter !== undefined && !existsSync(resolve(command.cwd ?? ".", interpreter))) {
    throw new StartError("ENOENT");
  }
  const program = callable(command);
  const option = `--ignore-signal=${ignored.join()}`;
  // To env, a word with = is a variable.
  if (
    closed.length > 0 || program.includes("=") ||
    spawnSync(ENV, [option, ENV], { env: {}, stdio: "ignore" }).status !== 0
  ) {
    const ignore = ignored.length === 0 ? "" : `trap '' ${ignored.join(" ")}; `;
    return throughShell(command, ignore, closed.map((stream) => ` ${stream}>&-`).join(""));
  }
  return { ...command, path: ENV, calledAs: "env", args: [option, "--", program, ...command.args] };
}

type Stdio = "inherit" | "pipe" | "ignore" | number;

/** Starts it without the descriptors that are above the limit of open files (`ulimit -n`): no start can pass them on. */
async function start(
  command: CommandToStart,
  streams: [Stdio, Stdio, Stdio],
): ReturnType<typeof startWithAll> {
  const { descriptors = [] } = command;
  return await startWithAll(command, streams).catch((thrown) => {
    const isAboveLimit = thrown instanceof StartError && thrown.code === "EINVAL" && descriptors.length > 0;
    return isAboveLimit
      ? start({ ...command, descriptors: descriptors.slice(0, -1) }, streams)
      : raise(thrown);
  });
}

async function startWithAll(command: CommandToStart, streams: [Stdio, Stdio, Stdio]) {
  const { path, calledAs, args, cwd, env, noInput, verbatim, descriptors = [] } = startedAlike(command);
  const stdio: (Stdio | null)[] = [...streams];
  for (const descriptor of descriptors) {
    // Descriptors in between stay closed.
    while (stdio.length < descriptor) stdio.push(null);
    stdio[descriptor] = descriptor;
  }
  let child: ChildProcess;
  try {
    child = spawn(path, [...args], {
      argv0: calledAs,
      cwd,
      env: { ...env },
      stdio,
      // Windows has no groups; there, `detached` would take the console away.
      detached: command.ownGroup && !IS_WINDOWS,
      windowsHide: noInput === true,
      windowsVerbatimArguments: verbatim === true,
    });
  } catch (thrown) {
    // Some runtimes throw, others emit an event.
    throw new StartError(systemCode(thrown) ?? raise(thrown));
  }
  const ended = new Promise<CommandEnd>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }));
  });
  if (child.pid !== undefined) return { child, pid: child.pid, ended };
  const thrown = await new Promise<unknown>((resolve) => child.once("error", resolve));
  throw new StartError(systemCode(thrown) ?? raise(thrown));
}

function raise(thrown: unknown): never {
  throw thrown;
}

type Start = Pick<CommandToStart, "path" | "calledAs" | "args">;

/** Bash takes the place of its parent's last words and environment, and becomes the program. */
const BECOME = `mapfile -d '' -t w < /proc/$PPID/cmdline; mapfile -d '' -t e < /proc/$PPID/environ
exec env -i "\${e[@]}" "$0" "\${w[@]:$1}"`;

/**
 * `start`, whose arguments are the last words of this process, or a start of the same without a byte changed: runtimes
 * decode words and environment, so a byte that is not UTF-8 becomes U+FFFD. Bash reads them from the system instead.
 */
export function exactly<T extends Start>(start: T, words: readonly string[], env: Environment): T {
  // As one string: a function called for each of them would be compiled, which takes longer.
  if (![words, Object.keys(env), Object.values(env)].join().includes("\uFFFD")) return start;
  const line = ifPossible(() => readFileSync("/proc/self/cmdline", "latin1"));
  if (line === undefined) return start;
  const args = ["-c", BECOME, start.calledAs, String(line.split("\0").length - 1 - words.length)];
  return { ...start, path: "/bin/bash", calledAs: "bash", args };
}
