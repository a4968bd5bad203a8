/**
 * Leaves the output of a command that has ended, but whose background processes still have it open, to a supervisor: the
 * call answers with what there is, and an fd with all of it goes on.
 */

import { findFd, formatFd } from "../../../fd/mod.ts";
import type { FdFailure } from "../../../fd/system.ts";
import { unshownResult } from "../../answers/parts/fd_summary.ts";
import { openHostStore } from "../../answers/parts/open_host_store.ts";
import { endWithin, type PipeReading } from "../../calls/streams/output_pipe.ts";
import type { FdResult } from "../../calls/terms/answers.ts";
import type { Host } from "../../calls/terms/command.ts";
import { type OutputResult, storedPart } from "../store_output.ts";
import type { LeftCommand } from "./background_job.ts";
import { type BackgroundRun, startSupervisor } from "./start_background.ts";

/** Output after which nothing came for so long is left. */
const QUIET_MS = 2000;

/** Waits until all output has ended or, since the command has ended, nothing came for a while. Returns whether it goes on. */
export async function goesOn(readings: readonly PipeReading[], lastAtMs: () => number): Promise<boolean> {
  const endedAtMs = performance.now();
  for (;;) {
    const waitMs = Math.max(endedAtMs, lastAtMs()) + QUIET_MS - performance.now();
    if (waitMs <= 0) return true;
    if (await endWithin(readings, waitMs)) return false;
  }
}

/** One stream of the command: what came before, and the end from which more can be read, if it goes on. */
interface LeftStream {
  source: string;
  byteCount: number;
  result: OutputResult;
  readEnd: number | undefined;
}

/** Starts the supervisor. Returns the answers about the fds that go on. */
export async function leaveCommand(
  run: BackgroundRun,
  { pid, end }: Pick<LeftCommand, "pid" | "end">,
  streams: readonly LeftStream[],
  host: Host,
): Promise<{ answers: FdResult[]; failures: FdFailure[] }> {
  const going = streams.filter(({ readEnd }) => readEnd !== undefined);
  if (going.length === 0) return { answers: [], failures: [] };
  const { options: { pageSize, maxBytes, durable }, ...job } = run;
  const left = {
    pid,
    end,
    streams: going.map(({ source, result }) => ({
      source,
      before: result.kind === "small"
        ? Buffer.from(result.bytes).toString("base64")
        : storedPart(result)?.entry.id ?? "",
    })),
  };
  const readEnds = going.map(({ readEnd }) => readEnd!);
  const start = await startSupervisor({ ...job, pageSize, maxBytes, durable, left }, host, readEnds);
  if (start.kind === "failed") return { answers: [], failures: [start.failure] };
  const store = openHostStore(host);
  const answers = start.ids.map((id, at) => {
    const fd = formatFd(id);
    const since = going[at]!.byteCount;
    return unshownResult(
      findFd(store, fd),
      [
        `The command has ended, but processes that it left in the background still have its output open: ${fd} has all of it and goes on. `,
        { command: "stop", args: { fd } },
        " ends them.",
      ],
      { command: "read", args: { fd, since } },
      since,
    );
  });
  return { answers, failures: [] };
}
