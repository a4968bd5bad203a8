/**
 * `stop`: ends a command of `run --background`, with all that it started in its process group.
 */

import { refuse } from "../../fd/system.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { type FdEntry, findFd, formatFd } from "../../fd/mod.ts";
import { stopCommand, type Stopped } from "../capturing/background/stop_command.ts";
import { endedResult, inOneOutcome } from "../capturing/background/ended_result.ts";
import type { Outcome } from "../calls/terms/command.ts";
import { durationOf } from "../calls/requests/duration.ts";
import type { NextCall } from "../calls/terms/next_call.ts";
import type { ReportOf } from "../calls/terms/reports.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { isSignal, KILL_AFTER_MS } from "../calls/streams/signal_command.ts";
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
