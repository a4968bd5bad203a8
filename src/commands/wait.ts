/**
 * `wait`: until a live fd has ended; then what `run` would have answered, with the command's exit code.
 */

import { groupedDigits } from "../answers/parts/grouped_digits.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { awaitFd, type FdEntry, findFd, formatFd } from "../../fd/mod.ts";
import { endedResult, exitCodeOf, inOneOutcome } from "../capturing/background/ended_result.ts";
import { PREVIEW_KINDS } from "../capturing/capture_options.ts";
import type { Host, Outcome } from "../calls/terms/command.ts";
import { deadlineOf } from "../calls/requests/duration.ts";
import { sharedFields } from "../calls/requests/shared_fields.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { TIMED_OUT } from "../calls/streams/verdict.ts";
import { STDERR } from "../calls/streams/standard_streams.ts";
import { mayBeTerminal } from "../calls/streams/terminal.ts";
import { unshownResult } from "../answers/parts/fd_summary.ts";
import { textOption } from "../calls/requests/request_fields.ts";

export const command = defineOperation({
  fields: {
    fd: { kind: "fds", isRequired: true, isArgument: true },
    timeout: textOption("DURATION", "wait at most 90s, 10m, 1h30m for all of them; 0 checks once"),
    until: textOption("PATTERN", "return at the first matching line, or when the fd ends"),
    about: sharedFields().aboutField,
    preview: {
      kind: "text",
      choices: PREVIEW_KINDS,
      option: {
        value: "WHICH",
        help:
          "show a digest (the lines that matter), the first page, head, tail, both, or none (default digest)",
      },
    },
  },
  rules: [
    { field: "about", excludes: ["preview"], why: "it shows a digest" },
    { field: "about", excludes: ["until"], why: "that shows a line" },
  ],
  usage: "FD… [options]",
  values: { fd: "LIVE_FD" },
  example: "fdtool wait fd:12 --timeout 10m",
  exitCodes: {
    0: "or N: the command's own exit code (of several fds, the first that is not 0); 0 if the fd has no command",
    1: "refused or failed, the writer of an fd without a command died, or the fd ended before a line matched --until",
    [TIMED_OUT]: "timed out while an fd is still live, or the command had timed out (run --timeout)",
  },
  async answer({ fd, timeout, until, about, preview = "digest" }, host) {
    const deadlineMs = deadlineOf("wait", timeout);
    const store = openHostStore(host);
    if (until !== undefined) (await import("../reading/await_line.ts")).checkAwaited(until);
    const entries = fd.map((argument) => findFd(store, argument));
    const line = await personsLine(host);
    const outcomeOf = async (began: FdEntry): Promise<Outcome> => {
      const handle = formatFd(began.id);
      const onLook = () => {
        host.signal?.throwIfAborted();
        line?.look(() => findFd(store, handle));
      };
      if (until !== undefined) {
        const { awaitLine } = await import("../reading/await_line.ts");
        return await awaitLine(store, { fd: handle, until, deadlineMs, timeout, preview, onLook });
      }
      const entry = await awaitFd(store, began, { for: "end", deadlineMs, onLook });
      return entry.state === "live" ? { exitCode: TIMED_OUT, answer: stillLive(entry, String(timeout)) } : {
        exitCode: exitCodeOf(entry),
        ...await endedResult(store, entry, { preview, about, remarks: [] }),
      };
    };
    try {
      const outcomes: Outcome[] = [];
      for (const began of entries) outcomes.push(await outcomeOf(began));
      return inOneOutcome(outcomes);
    } finally {
      line?.end();
    }
  },
});

/** The line by which a person sees that something arrives. */
async function personsLine({ env }: Host) {
  if (!mayBeTerminal(STDERR)) return undefined;
  const { waitingLine } = await import("../answers/screen/work_progress.ts");
  return await waitingLine(env);
}

function stillLive(entry: FdEntry, timeout: string) {
  const fd = formatFd(entry.id);
  const message = `${fd} is still live: ${groupedDigits(entry.byteCount)} bytes have arrived.`;
  return unshownResult(entry, message, { command: "wait", args: { fd, timeout } }, entry.byteCount);
}
