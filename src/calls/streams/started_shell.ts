/**
 * A shell that the launcher starts (scripts/launcher/shell.h). What it writes is in two pipes; a third has records of three
 * numbers: the turns that stdout and stderr have taken, and what becomes of the shell. A fourth, before the shell is
 * started, takes what it is to be started with. If the launcher is killed, so is this process.
 */

import { closeSync, readSync, writeFileSync } from "node:fs";
import process from "node:process";
import { ifPossible } from "../../../fd/system.ts";
import type { Environment } from "../../../fd/mod.ts";
import type { Take } from "./output_pipe.ts";
import { signalNamed } from "./signals.ts";
import { type CommandEnd, readInOrder, type RunningCommand } from "./start_command.ts";
import { isPipe } from "./terminal.ts";

const OUT = 200;
const ERR = 202;
const CONTROL = 204;
const ANSWER = 206;

const RECORD_BYTES = 12;
const [RUN, STARTED, FLUSH, ENDED, UNREAD] = [1, 2, 3, 4, 5];

/** Whether the launcher starts the shell of this call. Programs that it starts do not see that. */
export function isStartedByLauncher(env: Environment): boolean {
  return env["FDTOOL_SHELL_STARTED"] !== undefined && isPipe(OUT) && isPipe(CONTROL);
}

/** Whether the launcher waits for {@link startShell}. If this process ends instead, it becomes the shell. */
export function isToBeStarted(env: Environment): boolean {
  return env["FDTOOL_SHELL_STARTED"] === "0";
}

/** Has the launcher start the shell, with a command line instead of its own, and with variables. */
export function startShell(line: string | undefined, env: Environment): void {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  writeFileSync(ANSWER, [line ?? "", ...variables, ""].join("\0"));
  closeSync(ANSWER);
}

/** How long the shell has run, and the output that has come in the meantime. */
interface Before {
  elapsedMs: number;
  runs: { pipe: number; byteCount: number }[];
}

/** The next record, if there is one. */
function nextRecord(): [kind: number, first: number, second: number] | undefined {
  const record = Buffer.alloc(RECORD_BYTES);
  if (ifPossible(() => readSync(CONTROL, record)) !== RECORD_BYTES) return undefined;
  return [record.readInt32LE(0), record.readInt32LE(4), record.readInt32LE(8)];
}

function readBefore(): Before {
  const runs: Before["runs"] = [];
  for (;;) {
    const [kind, first, second] = nextRecord() ?? [];
    if (kind === STARTED) return { elapsedMs: first!, runs };
    if (kind !== RUN) throw new Error("the launcher has not said what it started");
    runs.push({ pipe: first === 0 ? OUT : ERR, byteCount: second! });
  }
}

/** Takes the output of the shell, as `startCommand` does of one that it starts. `flush` is called if that is to be seen. */
export async function takeStarted(
  [takeOut, takeErr]: readonly [Take, Take?],
  flush: () => void,
): Promise<RunningCommand> {
  const { elapsedMs, runs } = readBefore();
  for (const { pipe, byteCount } of runs) {
    const bytes = Buffer.alloc(byteCount);
    // A child of the shell may have read some of it.
    const length = readSync(pipe, bytes);
    await (pipe === OUT ? takeOut : takeErr ?? takeOut)(bytes.subarray(0, length));
  }
  const ended = awaitEnd(flush, (stream) => readings[stream]?.stop());
  // Bash itself writes to a stderr that is a device.
  const readings = readInOrder([OUT, ERR], takeOut, isPipe(ERR) ? takeErr : undefined, ended);
  // The launcher passes signals on.
  return { pid: 0, ended, elapsedMs, readings };
}

/** Lost signals are made up for, and the process goes on if no output is open. */
const LOOK_MS = 1000;

/**
 * Follows the records, of which a signal tells, until the shell has ended. `leave` is called with a stream that has lost its
 * reader: its writers are to get SIGPIPE.
 */
function awaitEnd(flush: () => void, leave: (stream: number) => void): Promise<CommandEnd> {
  return new Promise((resolve) => {
    const look = (): void => {
      for (let record = nextRecord(); record !== undefined; record = nextRecord()) {
        const [kind, status] = record;
        if (kind === FLUSH) flush();
        if (kind === UNREAD) leave(status);
        if (kind !== ENDED) continue;
        clearInterval(timer);
        process.off("SIGUSR2", look);
        const signal = signalNamed(status & 0x7f);
        resolve({ code: signal === undefined ? status >> 8 : undefined, signal });
      }
    };
    const timer = setInterval(look, LOOK_MS);
    process.on("SIGUSR2", look);
    queueMicrotask(look);
  });
}
