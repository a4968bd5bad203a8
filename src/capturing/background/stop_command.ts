/** Ends a command of `run --background`, with all that it started in its process group. */

import { refuse } from "../../../fd/system.ts";
import {
  awaitFd,
  type BackgroundWriter,
  backgroundWriter,
  type FdEntry,
  formatFd,
  recordStop,
  type Store,
  writerFate,
  type WriterIdentity,
} from "../../../fd/mod.ts";
import { sendSignal } from "../../calls/streams/signal_command.ts";
import type { StopOrder } from "./supervise_command.ts";

export interface Stopped {
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
export async function stopCommand(store: Store, entry: FdEntry, request: StopOrder): Promise<Stopped> {
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
