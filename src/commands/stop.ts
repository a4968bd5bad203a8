/**
 * `stop`: ends a command of `run --background`, with all that it started in its process group.
 */

import { refuse } from "../../fd/system.ts";
import type { StopOrder } from "../capturing/background/supervise_command.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import {
  awaitFd,
  type BackgroundWriter,
  backgroundWriter,
  type FdEntry,
  findFd,
  formatFd,
  recordStop,
  type Store,
  writerFate,
  type WriterIdentity,
} from "../../fd/mod.ts";
import { endedResult, inOneOutcome } from "../capturing/background/ended_result.ts";
import type { Outcome } from "../calls/terms/command.ts";
import { durationOf } from "../calls/requests/duration.ts";
import type { NextCall } from "../calls/terms/next_call.ts";
import type { ReportOf } from "../calls/terms/reports.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { isSignal, KILL_AFTER_MS, sendSignal } from "../calls/streams/signal_command.ts";
import { failValue } from "../calls/requests/usage_failure.ts";
import { unshownResult } from "../answers/parts/fd_summary.ts";
import { textOption } from "../calls/requests/request_fields.ts";

export const command = defineOperation({
  fields: {
    fd: { kind: "fds", isRequired: true, isArgument: true },
    signal: textOption("SIGNAL", "send this signal to its process group first (default TERM)"),
    grace: textOption("DURATION", `send KILL after this time (default ${KILL_AFTER_MS / 1000}s)`),
  },
  usage: "FD… [options]",
  values: { fd: "LIVE_FD" },
  example: "fdtool stop fd:12 --grace 30s",
  exitCodes: {
    0: "all commands have ended, now or earlier",
    1: "refused or failed, or the writer ignored the request",
    2: "usage error, or the fd is not written by run --background",
  },
  async answer({ fd: fds, signal: named = "TERM", grace }, host) {
    const signal = signalOf(named);
    const graceMs = grace === undefined ? KILL_AFTER_MS : durationOf("stop", "--grace", grace);
    const store = openHostStore(host);
    const asked = fds.map((fd) => findFd(store, fd));
    for (const { id, state, elsewhere } of asked) {
      if (state !== "live" || elsewhere === undefined) continue;
      const other = elsewhere.host ?? "another host";
      refuse("fd", formatFd(id), `an fd that this host writes; ${other} writes this one, so stop it there`);
    }
    const outcomes = await Promise.all(asked.map(async (each): Promise<Outcome> => {
      const { entry, how } = await stopCommand(store, each, { signal, graceMs });
      if (entry.state === "live") return unheeded(entry);
      const remark = remarkOn(entry, how);
      if (how === "had ended") return { exitCode: 0, answer: hadEnded(entry, remark) };
      return { exitCode: 0, ...await endedResult(store, entry, { preview: "digest", remarks: [remark] }) };
    }));
    return inOneOutcome(outcomes);
  },
});

function signalOf(written: string): NodeJS.Signals {
  const name = `SIG${written.toUpperCase().replace(/^SIG/, "")}`;
  if (isSignal(name)) return name;
  return failValue("stop", "--signal", written, "a signal's name, such as TERM, INT or KILL");
}

function remarkOn({ id, state, signal, exitCode }: FdEntry, how: Stopped["how"]): string {
  const fd = formatFd(id);
  if (how === "orphan stopped") {
    return `Stopped: the writer of ${fd} had been killed; its command was still running and was ended.`;
  }
  const ending = signal !== undefined
    ? ` by ${signal}`
    : exitCode !== undefined
    ? ` with exit code ${exitCode}`
    : state === "incomplete"
    ? " when its writer died"
    : "";
  return how === "stopped" ? `Stopped: ${fd} ended${ending}.` : `${fd} had already ended${ending}.`;
}

function hadEnded({ id, state, exitCode, signal }: FdEntry, message: string): ReportOf<"fd_ended"> {
  const facts = {
    fd: formatFd(id),
    state: state === "incomplete" ? state : undefined,
    exit_code: exitCode,
    signal,
  };
  return { type: "fd_ended", facts, message };
}

function unheeded(entry: FdEntry): Outcome {
  const fd = formatFd(entry.id);
  const message = `${fd} is still live: its writer was asked to stop the command and did not.`;
  const next: NextCall = { command: "stop", args: { fd, signal: "KILL" } };
  return { exitCode: 1, answer: unshownResult(entry, message, next, entry.byteCount) };
}

interface Stopped {
  /** The fd's present state; live if its writer did not react. */
  entry: FdEntry;
  how: "stopped" | "had ended" | "orphan stopped";
}

/** Time for a writer to seal its fds after the command must have ended. */
const SEAL_WITHIN_MS = 60_000;

/**
 * Ends the command that writes `entry`. The stop request is recorded, and a signal makes the supervisor read it, because
 * only it knows which processes it started. If the supervisor was killed and the command still runs, its process group is
 * signalled from here. Start times distinguish both from later processes with the same pids.
 *
 * @throws {FdError} `invalid_parameter` for a live fd that no background command on this machine writes.
 */
async function stopCommand(store: Store, entry: FdEntry, request: StopOrder): Promise<Stopped> {
  const background = backgroundWriter(store, entry.id);
  if (entry.state !== "live") {
    const isOrphan = background !== undefined && await stopOrphan(background.command, request);
    return { entry, how: isOrphan ? "orphan stopped" : "had ended" };
  }
  const { writer, command } = reachable(entry, background);
  recordStop(store, entry.id, request);
  // A signal of Windows would end the supervisor before it has sealed the fd.
  if (process.platform === "win32") sendSignal(command.pid, true, request.signal);
  else sendSignal(writer.pid, false, "SIGTERM");
  const deadlineMs = performance.now() + request.graceMs + SEAL_WITHIN_MS;
  const now = await awaitFd(store, entry, { for: "end", deadlineMs });
  if (now.state === "incomplete") await stopOrphan(command, request);
  return { entry: now, how: "stopped" };
}

function reachable(entry: FdEntry, background: BackgroundWriter | undefined): BackgroundWriter {
  if (background !== undefined && writerFate(background.writer) !== "unknown") return background;
  return refuse(
    "fd",
    formatFd(entry.id),
    background === undefined
      ? "an fd of run --background (stop the writer of this one yourself)"
      : "an fd whose writer runs on this machine and in this container",
  );
}

const LOOK_EVERY_MS = 20;

/** Ends a command whose supervisor is gone. Returns whether it was running. */
async function stopOrphan(command: WriterIdentity, { signal, graceMs }: StopOrder): Promise<boolean> {
  // Without its start time, the pid may be another process by now.
  if (command.started === undefined || writerFate(command) !== "alive") return false;
  sendSignal(command.pid, true, signal);
  const killAtMs = performance.now() + graceMs;
  while (sendSignal(command.pid, true, 0)) {
    if (performance.now() >= killAtMs) {
      sendSignal(command.pid, true, "SIGKILL");
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return true;
}
