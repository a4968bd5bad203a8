import { assertEquals } from "@std/assert";
import { spawn } from "node:child_process";
import process from "node:process";
import { limitTime, passSignals, sendSignal } from "./signal_command.ts";
import { signalNumber } from "./signals.ts";

/** A child that leads a group of its own and sleeps. */
function startSleeper(): { pid: number; ended: Promise<{ code: undefined; signal: NodeJS.Signals }> } {
  const child = spawn("sleep", ["1000"], { stdio: "ignore", detached: true });
  const ended = new Promise<{ code: undefined; signal: NodeJS.Signals }>((resolve, reject) => {
    child.once("exit", (_, signal) => {
      if (signal === null) reject(new Error("the sleeper was to be ended by a signal"));
      else resolve({ code: undefined, signal });
    });
  });
  if (child.pid === undefined) throw new Error("sleep could not be started");
  return { pid: child.pid, ended };
}

Deno.test("a signal that arrives before the command starts is passed on to it", async () => {
  const passing = passSignals();
  const signalled = new Promise<void>((resolve) => process.once("SIGUSR1", () => resolve()));
  // Signal listeners do not keep the event loop running.
  const waiting = setInterval(() => {}, 1000);
  try {
    process.kill(process.pid, "SIGUSR1");
    await signalled;
    const { pid, ended } = startSleeper();
    passing.to(pid, true);
    assertEquals((await ended).signal, "SIGUSR1");
  } finally {
    clearInterval(waiting);
    passing.end();
  }
});

Deno.test("a signal to a process that has ended is not a failure", async () => {
  const { pid, ended } = startSleeper();
  assertEquals(sendSignal(pid, true, "SIGKILL"), true);
  await ended;
  assertEquals(sendSignal(pid, true, "SIGTERM"), false);
});

Deno.test("a command that ends in time has not exceeded its limit", async () => {
  const { pid, ended } = startSleeper();
  const limit = limitTime({ pid, ended, readings: [] }, 1_000_000);
  sendSignal(pid, true, "SIGHUP");
  assertEquals((await ended).signal, "SIGHUP");
  limit.end();
  assertEquals(limit.endedWhat(), undefined);
});

Deno.test("a command that exceeds its limit is ended by TERM", async () => {
  const { pid, ended } = startSleeper();
  const limit = limitTime({ pid, ended, readings: [] }, 1);
  assertEquals((await ended).signal, "SIGTERM");
  assertEquals(limit.endedWhat(), "command");
  limit.end();
});

Deno.test("signal numbers are the system's", () => {
  assertEquals([signalNumber("SIGHUP"), signalNumber("SIGKILL"), signalNumber("SIGTERM")], [1, 9, 15]);
});

Deno.test("only one process or one command's group is ever signalled", () => {
  for (const [pid, ownGroup] of [[0, false], [-1, false], [0, true], [1, true], [-7, true]] as const) {
    assertEquals(sendSignal(pid, ownGroup, 0), false, `${pid}`);
  }
  assertEquals(sendSignal(process.pid, false, 0), true);
});
