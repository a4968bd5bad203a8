import process from "node:process";
import { ifPossible } from "../../../fd/system.ts";
import { ignoredSignals, PASSED_ON } from "./signals.ts";
import type { PipeReading } from "./output_pipe.ts";
import type { RunningCommand } from "./start_command.ts";

/** Signals that a terminal sends to its foreground group: a command in fdtool's group has received them already. */
const SENT_BY_TERMINAL: readonly string[] = ["SIGINT", "SIGQUIT"];

const IS_WINDOWS = process.platform === "win32";

/**
 * Catches signals to pass on, except those in `except`. Signals that fdtool was started to ignore (`nohup`) stay
 * ignored.
 */
export function passSignals(except: readonly string[] = []) {
  let target: { pid: number; ownGroup: boolean } | undefined;
  const early: NodeJS.Signals[] = [];
  const pass = (signal: NodeJS.Signals): void => {
    // The console of Windows sends its signals to all its processes, and there are no others.
    if (IS_WINDOWS) return;
    if (target === undefined) early.push(signal);
    else if (target.ownGroup || !SENT_BY_TERMINAL.includes(signal)) {
      sendSignal(target.pid, target.ownGroup, signal);
    }
  };
  const ignored = ignoredSignals();
  const caught = PASSED_ON.filter((signal) => !ignored.has(signal) && !except.includes(signal));
  for (const signal of caught) process.on(signal, pass);
  return {
    /** Sets the command, and passes on signals caught before. */
    to(pid: number, ownGroup: boolean): void {
      target = { pid, ownGroup };
      early.forEach(pass);
    },
    end() {
      for (const signal of caught) process.off(signal, pass);
    },
  };
}

/**
 * Ends a process of Windows and all that it started, which is what a group is there. It is always at once, as by KILL.
 * Returns false if that program of Windows failed: the process has ended, or it belongs to another user.
 */
function endTree(pid: number): boolean {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  // By its path: the working directory may have a program of that name.
  const program = `${process.env["SystemRoot"] || "C:\\Windows"}\\System32\\taskkill.exe`;
  const args = ["/T", "/F", "/PID", String(pid)];
  return spawnSync(program, args, { stdio: "ignore", windowsHide: true }).status === 0;
}

/**
 * Sends a signal to a process or to the group that it leads. Returns whether it exists. An invalid id, which a damaged
 * record may hold, gets none: to the kernel, 0 is the caller's group and -1 every process.
 */
export function sendSignal(pid: number, ownGroup: boolean, signal: NodeJS.Signals | 0): boolean {
  if (pid < (ownGroup ? 2 : 1)) return false;
  if (IS_WINDOWS && ownGroup && signal !== 0 && endTree(pid)) return true;
  // ESRCH: it has ended. EPERM: the id belongs to another user's process by now.
  return ifPossible(() => process.kill(ownGroup && !IS_WINDOWS ? -pid : pid, signal)) === true;
}

/** Whether `name` is a signal's name on this system, such as `SIGTERM`. */
export function isSignal(name: string): name is NodeJS.Signals {
  return Object.hasOwn(process.getBuiltinModule("node:os").constants.signals, name);
}

/** Time between TERM and KILL (contract, Capturing). */
export const KILL_AFTER_MS = 5000;
const LEAVE_AFTER_MS = 1000;

/** Ends the command after `limitMs` with TERM and, 5 s later, KILL. The command must lead a group of its own. */
export function limitTime(running: RunningCommand, limitMs: number) {
  let settle: (() => void) | undefined;
  let isOver = false;
  let endedWhat: "command" | "output" | undefined;
  void running.ended.then(() => {
    isOver = true;
  });
  const timer = setTimeout(() => {
    endedWhat = isOver ? "output" : "command";
    settle = endCommand(running, "SIGTERM", KILL_AFTER_MS);
  }, limitMs);
  return {
    /** The part that the limit ended: the command, only its background processes, or nothing. */
    endedWhat: () => endedWhat,
    end() {
      clearTimeout(timer);
      settle?.();
    },
  };
}

/**
 * Ends a command that leads its own group: sends `signal` to the group and, after `graceMs`, KILL. A second later it
 * stops waiting for processes that left the group and still hold the output. Returns how to cancel the remaining steps,
 * because the command and its output have ended.
 */
export function endCommand(
  { pid, ended, readings }: RunningCommand,
  signal: NodeJS.Signals,
  graceMs: number,
): () => void {
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
  return () => {
    isSettled = true;
    timers.forEach((timer) => clearTimeout(timer));
  };
}
