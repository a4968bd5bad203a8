/**
 * Ends a background command. The process that stays behind it does that, since only it knows what it started: it is told
 * where to look by a signal, after its record says what is wanted. Where it was killed, and the command is still there,
 * the command's process group is signalled from here. Both are told from processes that have their ids by now.
 *
 * @module
 */

import {
  awaitFd,
  type BackgroundWriter,
  backgroundWriter,
  fail,
  type FdEntry,
  formatFd,
  recordStop,
  type Store,
  writerFate,
  type WriterIdentity,
} from "../../fd/mod.ts";
import { sendSignal } from "../running/signal_command.ts";

/** How a command is to end: by a signal to its process group and, after the grace, KILL. */
export interface StopRequest {
  signal: NodeJS.Signals;
  graceMs: number;
}

/** What came of it. */
export interface Stopped {
  /** The fd as it is now; live where its writer did not heed. */
  entry: FdEntry;
  /** Whether there was anything to end. */
  how: "stopped" | "had ended" | "orphan stopped";
}

/** How long a writer may take to seal its fds, after the command must have ended. */
const SEAL_WITHIN_MS = 60_000;

/**
 * Ends what writes `entry`.
 *
 * @throws {FdError} `invalid_parameter` for a live fd that no command writes in the background, on this machine.
 */
export async function stopCommand(store: Store, entry: FdEntry, request: StopRequest): Promise<Stopped> {
  const background = backgroundWriter(store, entry.id);
  if (entry.state !== "live") {
    const isOrphan = background !== undefined && await stopOrphan(background.command, request);
    return { entry, how: isOrphan ? "orphan stopped" : "had ended" };
  }
  const { writer, command } = reachable(entry, background);
  recordStop(store, entry.id, request);
  sendSignal(writer.pid, false, "SIGTERM");
  const deadlineMs = performance.now() + request.graceMs + SEAL_WITHIN_MS;
  const now = await awaitFd(store, entry, { for: "end", deadlineMs });
  if (now.state === "incomplete") await stopOrphan(command, request);
  return { entry: now, how: "stopped" };
}

function reachable(entry: FdEntry, background: BackgroundWriter | undefined): BackgroundWriter {
  if (background !== undefined && writerFate(background.writer) !== "unknown") return background;
  return fail({
    kind: "invalid_parameter",
    field: "fd",
    got: formatFd(entry.id),
    wanted: background === undefined
      ? "an fd of run --background (stop the writer of this one yourself)"
      : "an fd whose writer runs on this machine and in this container",
  });
}

const LOOK_EVERY_MS = 20;

/** Ends a command that nobody stands behind any more; answers whether there was one. */
async function stopOrphan(command: WriterIdentity, { signal, graceMs }: StopRequest): Promise<boolean> {
  // Without a start time it cannot be told from a stranger.
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
