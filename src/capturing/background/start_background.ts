/**
 * `run --background`: hands the command to a supervisor process that outlives the caller, and returns the handle once
 * the command runs. The supervisor shares no terminal, pipe or process group with the caller.
 */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { findFd, formatFd, isStoreUrl } from "../../../fd/mod.ts";
import type { FdResult } from "../../calls/terms/answers.ts";
import { bindRequestedName } from "../capture_outcome.ts";
import type { CaptureOptions } from "../capture_options.ts";
import type { Host, Outcome } from "../../calls/terms/command.ts";
import type { NextCall } from "../../calls/terms/next_call.ts";
import { inSentences } from "../../answers/parts/next_command.ts";
import { openHostStore } from "../../answers/parts/open_host_store.ts";
import { NOT_STARTED } from "../../calls/streams/verdict.ts";
import { failConflict } from "../../calls/requests/usage_failure.ts";
import type { BackgroundJob, BackgroundStart } from "./background_job.ts";
import { ownCall } from "./own_program.ts";
import { unshownResult } from "../../answers/parts/fd_summary.ts";

/** A job, as far as a call's options do not give it. */
export type BackgroundRun = Omit<BackgroundJob, "source" | "pageSize" | "maxBytes" | "durable"> & {
  options: CaptureOptions;
};

/** Starts the command. The exit code is 0 once it runs. */
export async function startInBackground(run: BackgroundRun, host: Host): Promise<Outcome> {
  const { options, ...command } = run;
  if (options.tee) {
    const wanted = "choose one; fdtool read FD --follow passes on what a background command writes";
    failConflict("run", "--background", "--tee", wanted);
  }
  const { source, pageSize, maxBytes, durable } = options;
  const start = await startSupervisor({ ...command, source, pageSize, maxBytes, durable }, host);
  if (start.kind === "failed") return { exitCode: start.exitCode, failures: [start.failure] };

  const store = openHostStore(host);
  const answers: FdResult[] = [];
  const failures = [];
  for (const [at, id] of start.ids.entries()) {
    const fd = formatFd(id);
    const args = { fd };
    const entry = findFd(store, fd);
    const naming = at > 0 || options.name === undefined
      ? undefined
      : await bindRequestedName({ store, entry }, options.name);
    const message = inSentences([
      [
        `Started in the background as ${fd}. Read new output with the next command; `,
        { command: "wait", args },
        " waits for it to end, ",
        { command: "stop", args },
        " ends it.",
      ],
      ...naming?.remarks ?? [],
    ]);
    // The state at the start, although the command may have ended by now.
    const started = { id, source: entry.source, pageCount: 1, lineCount: 0, charCount: 0, byteCount: 0 };
    const next: NextCall = { command: "read", args: { fd, since: 0 } };
    answers.push(unshownResult(started, message, next, 0));
    failures.push(...naming?.failures ?? []);
  }
  const [answer, ...furtherAnswers] = answers;
  return { exitCode: 0, answer, furtherAnswers, failures };
}

/** Starts the supervisor of a job, which a command that has ended leaves `readEnds`; this function closes them. */
export async function startSupervisor(
  job: BackgroundJob,
  host: Host,
  readEnds: readonly number[] = [],
): Promise<BackgroundStart> {
  const { cwd, env, storeOption: given } = host;
  const storeOption = given === undefined || isStoreUrl(given) ? given : resolve(cwd, given);
  const { path, args, options } = ownCall(["supervise"], { cwd, env, storeOption });
  const child = spawn(path, args, {
    ...options,
    stdio: ["pipe", "pipe", "ignore", ...readEnds],
    detached: true,
    windowsHide: true,
  }) as ChildProcessByStdio<Writable, Readable, null>;
  for (const readEnd of readEnds) closeSync(readEnd);
  const line = await requestLine(child, `${JSON.stringify(job)}\n`);
  child.unref();
  if (line !== undefined) return JSON.parse(line);
  const failure = { kind: "read_error", path, action: "start in the background", code: "EPIPE" } as const;
  return { kind: "failed", exitCode: NOT_STARTED, failure };
}

/** Writes `question` to the process and returns its first line; undefined if it ends or fails to start without one. */
async function requestLine(
  child: ChildProcessByStdio<Writable, Readable, null>,
  question: string,
): Promise<string | undefined> {
  child.stdin.on("error", () => {});
  child.stdin.end(question);
  const failed = new Promise<undefined>((resolve) => child.once("error", () => resolve(undefined)));
  const answered = (async () => {
    for await (const line of createInterface({ input: child.stdout })) return line;
    return undefined;
  })();
  return await Promise.race([answered, failed]).finally(() => child.stdout.destroy());
}
