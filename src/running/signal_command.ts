/**
 * Signals for a running command: those that fdtool gets are passed on, and a time limit ends it.
 *
 * @module
 */

import { constants } from "node:os";
import process from "node:process";
import { systemCode } from "../../fd/mod.ts";
import { ignoredSignals, PASSED_ON } from "./signals.ts";
import type { PipeReading } from "./output_pipe.ts";
import type { RunningCommand } from "./start_command.ts";

/** What a terminal sends to everybody in its foreground group, so the command has it already when it is in ours. */
const SENT_BY_TERMINAL: readonly string[] = ["SIGINT", "SIGQUIT"];

/** Signals that are caught and passed on to a command. */
export interface SignalPassing {
  /** Names the command that they are for; those that came before are passed on now. */
  to(pid: number, ownGroup: boolean): void;
  /** Gives the signals back their usual meaning. */
  end(): void;
}

/**
 * Starts to catch signals, but for those that somebody else attends to (`except`). Those that fdtool's caller had it ignore
 * (`nohup`) stay ignored.
 */
export function passSignals(except: readonly string[] = []): SignalPassing {
  let target: { pid: number; ownGroup: boolean } | undefined;
  const early: NodeJS.Signals[] = [];
  const pass = (signal: NodeJS.Signals): void => {
    if (target === undefined) early.push(signal);
    else if (target.ownGroup || !SENT_BY_TERMINAL.includes(signal)) {
      sendSignal(target.pid, target.ownGroup, signal);
    }
  };
  const ignored = ignoredSignals();
  const caught = PASSED_ON.filter((signal) => !ignored.has(signal) && !except.includes(signal));
  for (const signal of caught) process.on(signal, pass);
  return {
    to(pid, ownGroup) {
      target = { pid, ownGroup };
      early.forEach(pass);
    },
    end() {
      for (const signal of caught) process.off(signal, pass);
    },
  };
}

/**
 * Sends a signal to a process or to the group that it leads; answers whether there was anybody to get it. What is no id of
 * one (records may say anything) gets none: to the kernel 0 is the caller's own group, and -1 everybody.
 */
export function sendSignal(pid: number, ownGroup: boolean, signal: NodeJS.Signals | 0): boolean {
  if (pid < (ownGroup ? 2 : 1)) return false;
  try {
    process.kill(ownGroup ? -pid : pid, signal);
    return true;
  } catch (thrown) {
    // ESRCH: gone already. EPERM: it has become somebody else.
    if (systemCode(thrown) === undefined) throw thrown;
    return false;
  }
}

/** Whether `name` is a signal's name on this system: `SIGTERM`. */
export function isSignal(name: string): name is NodeJS.Signals {
  return Object.hasOwn(constants.signals, name);
}

/** How long a command that was told to end may take to (contract, Capturing). */
export const KILL_AFTER_MS = 5000;
const LEAVE_AFTER_MS = 1000;

/** A time limit on a command that leads a group of its own. */
export interface TimeLimit {
  /** What the limit has ended: the command; only what it had left in the background with its output; or nothing. */
  endedWhat(): "command" | "output" | undefined;
  end(): void;
}

/** Ends the command after `limitMs`, as {@link endCommand} does: TERM and, 5 s later, KILL. */
export function limitTime(running: RunningCommand, limitMs: number): TimeLimit {
  let ending: CommandEnding | undefined;
  let isOver = false;
  let endedWhat: "command" | "output" | undefined;
  void running.ended.then(() => {
    isOver = true;
  });
  const timer = setTimeout(() => {
    endedWhat = isOver ? "output" : "command";
    ending = endCommand(running, "SIGTERM", KILL_AFTER_MS);
  }, limitMs);
  return {
    endedWhat: () => endedWhat,
    end() {
      clearTimeout(timer);
      ending?.settle();
    },
  };
}

/** A command that is being ended. */
export interface CommandEnding {
  /** Says that it has ended, and so has its output. */
  settle(): void;
}

/**
 * Ends a command that leads a group of its own: `signal` to the group and, after `graceMs`, KILL. A second after nobody of
 * the group can be left, those who have left it and still hold the output are no longer waited for.
 */
export function endCommand(
  { pid, ended, readings }: RunningCommand,
  signal: NodeJS.Signals,
  graceMs: number,
): CommandEnding {
  let isSettled = false;
  const timers: ReturnType<typeof setTimeout>[] = [];
  const after = (delayMs: number, act: () => void): void => {
    if (!isSettled) timers.push(setTimeout(act, delayMs));
  };
  const leaveSoon = (): void =>
    after(LEAVE_AFTER_MS, () => readings.forEach((reading: PipeReading) => reading.stop()));
  sendSignal(pid, true, signal);
  after(graceMs, () => {
    sendSignal(pid, true, "SIGKILL");
    leaveSoon();
  });
  void ended.then(() => {
    if (!sendSignal(pid, true, 0)) leaveSoon();
  });
  return {
    settle() {
      isSettled = true;
      timers.forEach((timer) => clearTimeout(timer));
    },
  };
}
