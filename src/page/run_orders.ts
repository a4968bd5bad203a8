/** Stops runs and starts them again for the page, if the person who started the server allows it. */

import { backgroundWriter, type FdEntry, findFd, formatFd, type Store } from "../../fd/mod.ts";
import { FdError } from "../../fd/system.ts";
import type { Host } from "../calls/terms/command.ts";
import { KILL_AFTER_MS } from "../calls/streams/signal_command.ts";
import { resolveCommand } from "../calls/streams/verdict.ts";
import { parseCaptureOptions } from "../capturing/capture_options.ts";
import { startSupervisor } from "../capturing/background/start_background.ts";
import { stopCommand } from "../capturing/background/stop_command.ts";
import { textIn, UiFault } from "./check_request.ts";

/** Returns the order that a run takes: `stop` if it runs in the background of this machine, `again` if its command has ended. */
export function orderOf(store: Store, { id, state, command, host }: FdEntry): "stop" | "again" | undefined {
  if (state === "live") return backgroundWriter(store, id) === undefined ? undefined : "stop";
  const isHere = host === undefined || host === store.backend.host;
  return command === undefined || !isHere ? undefined : "again";
}

/** Stops a command as `fdtool stop` does, and returns its fd once it has ended. */
export async function stopRun(store: Store, query: URLSearchParams): Promise<{ fd: string }> {
  const request = { signal: "SIGTERM", graceMs: KILL_AFTER_MS } as const;
  const { entry } = await stopCommand(store, findFd(store, textIn(query, "fd")), request);
  return { fd: formatFd(entry.id) };
}

/** Runs the command of an fd again in its directory, in the background, and returns the new fd. */
export async function runAgain(store: Store, query: URLSearchParams, host: Host): Promise<{ fd: string }> {
  const entry = findFd(store, textIn(query, "fd"));
  const { command: words, cwd = host.cwd } = entry;
  if (words === undefined || orderOf(store, entry) !== "again") {
    throw new UiFault(409, `${formatFd(entry.id)} has no command that can be run again here.`);
  }
  const program = await resolveCommand(words, cwd, host.env["PATH"]);
  if (program.kind === "refused") {
    const failure = program.outcome.failures?.[0] ?? new UiFault(409, "The command cannot be started.");
    throw failure instanceof Error ? failure : new FdError(failure);
  }
  const { source, pageSize, maxBytes, durable } = parseCaptureOptions("run", {});
  const options = { source, pageSize, maxBytes, durable, split: false, limitMs: undefined };
  const started = await startSupervisor({ words: [...words], cwd, ...options, ...program.start }, host);
  if (started.kind === "failed") throw new FdError(started.failure);
  return { fd: formatFd(started.ids[0]!) };
}
