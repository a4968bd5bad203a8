/**
 * The supervisor process of a background command: it stores the output as it arrives, enforces the time limit, obeys
 * `stop`, and seals the fd with the command's exit code. It ends when the output ends. If it is killed, the command's
 * next write meets a closed pipe.
 */

import process from "node:process";
import {
  beginPut,
  findFd,
  formatFd,
  giveUpPut,
  headBytesOf,
  lastStop,
  type Put,
  type PutEnd,
  readSlice,
  recordCommand,
  type Store,
  sweepSometimes,
} from "../../../fd/mod.ts";
import { failureIn, FdError, ifPossible, undefinedIf } from "../../../fd/system.ts";
import { openHostStore } from "../../answers/parts/open_host_store.ts";
import { type Host, namedDirectory } from "../../calls/terms/command.ts";
import { NOT_STARTED, runExitCode, startVerdict } from "../../calls/streams/verdict.ts";
import { makePipes, readPipe, RUNTIME_MAKES_PIPES } from "../../calls/streams/output_pipe.ts";
import {
  endCommand,
  isSignal,
  KILL_AFTER_MS,
  limitTime,
  passSignals,
} from "../../calls/streams/signal_command.ts";
import { type RunningCommand, startCommand, StartError } from "../../calls/streams/start_command.ts";
import type { BackgroundJob, BackgroundStart, LeftCommand } from "./background_job.ts";

/** Supervises `job`. Calls `report` once: when the command runs or cannot be started. */
export async function superviseCommand(
  job: BackgroundJob,
  host: Host,
  report: (start: BackgroundStart) => void,
): Promise<void> {
  const stopping = handleTerm();
  const signals = passSignals(["SIGTERM"]);
  const streams: ReturnType<typeof storeStream>[] = [];
  try {
    const store = openHostStore(host);
    const { left } = job;
    const sources = left?.streams.map(({ source }) => source) ??
      (job.split ? ["run stdout", "run stderr"] : ["run"]);
    for (const source of sources) {
      streams.push(
        storeStream(beginPut(store, {
          ...job,
          source: job.source ?? source,
          command: job.words,
          cwd: namedDirectory(job.cwd),
        })),
      );
    }
    const startedAt = performance.now();
    const running = left === undefined
      ? await startJob(job, streams, host.env)
      : followLeft(left, streams, store);
    signals.to(running.pid, true);
    const limit = job.limitMs === undefined ? undefined : limitTime(running, job.limitMs);
    const ids = streams.map(({ put }) => put.id);
    // Without that record the command still runs, but `stop` cannot find it.
    ids.forEach((id) => tried(() => recordCommand(store, id, running.pid)));
    report({ kind: "started", ids: await knownIds(store, ids, job.maxBytes ?? store.limits.maxBytes) });
    stopping.stops(running, () => stopOrder(store, ids));

    const end = await running.ended;
    const durationMs = left?.end.durationMs ?? performance.now() - startedAt;
    // Background processes of the command may still write.
    await Promise.all(running.readings.map((reading) => reading.done));
    limit?.end();
    const exitCode = runExitCode(end, limit?.endedWhat() === "command");
    for (const stream of streams) stream.seal({ exitCode, signal: end.signal, durationMs });
    // The next process that cleans the store meets the same failure.
    await sweepSometimes(store, Date.now(), ids).catch(undefinedIf(FdError));
  } catch (thrown) {
    const failed = failedStart(job, thrown);
    for (const stream of streams) stream.seal({ exitCode: failed.exitCode, incomplete: true });
    report(failed);
  } finally {
    stopping.end();
    signals.end();
  }
}

/** The ids by which callers know the fds. */
async function knownIds(store: Store, ids: readonly number[], maxBytes: number): Promise<number[]> {
  const stableBytes = maxBytes === 0 ? Infinity : headBytesOf(maxBytes);
  return await Promise.all(ids.map((id) => store.backend.shareLive(id, stableBytes)));
}

async function startJob(
  { path, calledAs, args, verbatim, cwd }: BackgroundJob,
  streams: readonly ReturnType<typeof storeStream>[],
  env: Host["env"],
): Promise<RunningCommand> {
  const [out, err] = streams;
  if (out === undefined) throw new Error("a command has at least one stream");
  const pipes = RUNTIME_MAKES_PIPES ? undefined : makePipes(streams.length, env);
  const command = { path, calledAs, args, verbatim, cwd, env, ownGroup: true, noInput: true };
  return await startCommand(command, pipes, out.take, err?.take);
}

/** Stores what a command brought before it ended, and then what comes. */
function followLeft(
  { pid, end: { exitCode: code, signal }, streams: left }: LeftCommand,
  streams: readonly ReturnType<typeof storeStream>[],
  store: Store,
): RunningCommand {
  const readings = streams.map(({ take }, at) => {
    const { before } = left[at]!;
    if (typeof before === "string") take(Buffer.from(before, "base64"));
    else {
      tried(() => {
        const entry = findFd(store, formatFd(before));
        const all = readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount });
        for (const piece of all.chunks()) take(piece);
      });
    }
    return readPipe(FIRST_LEFT + at, take, Promise.resolve(false));
  });
  const end = signal === undefined ? { code, signal } : { code: undefined, signal: signal as NodeJS.Signals };
  return { pid, ended: Promise.resolve(end), readings };
}

/** The descriptor of the first pipe that is left. */
const FIRST_LEFT = 3;

/** Returns why a job does not run. Rethrows bugs. */
function failedStart({ path }: BackgroundJob, thrown: unknown): BackgroundStart & { kind: "failed" } {
  if (thrown instanceof StartError) return { kind: "failed", ...startVerdict(path, thrown.code) };
  const failure = failureIn(thrown, "permission_error", "write_error", "read_error", "storage_full");
  return { kind: "failed", exitCode: NOT_STARTED, failure };
}

/**
 * Stores a stream. Bytes that can no longer be stored are dropped, since there is no caller to pass them to: the
 * command runs to its end, and the fd is incomplete.
 */
function storeStream(put: Put) {
  let isFull = false;
  return {
    put,
    take(bytes: Uint8Array): void {
      isFull ||= !tried(() => put.write(bytes));
    },
    seal(end: PutEnd): void {
      if (!tried(() => put.seal({ ...end, incomplete: isFull || end.incomplete }))) giveUpPut(put, end);
    },
  };
}

/** Does what may fail where no caller gets the report. Returns whether it was done. */
function tried(act: () => void): boolean {
  return ifPossible(() => (act(), true)) === true;
}

/** A signal to the command's process group, followed by KILL after the grace period. */
export interface StopOrder {
  signal: NodeJS.Signals;
  graceMs: number;
}

/** The signal that `stop` requested; the default for a TERM from elsewhere. */
function stopOrder(store: Store, ids: readonly number[]): StopOrder {
  const order = lastStop(store, ids);
  if (order === undefined || !isSignal(order.signal)) return { signal: "SIGTERM", graceMs: KILL_AFTER_MS };
  return { signal: order.signal, graceMs: order.graceMs };
}

function handleTerm() {
  let isAsked = false;
  let settle: (() => void) | undefined;
  let act = (): void => {
    isAsked = true;
  };
  const onTerm = (): void => act();
  process.on("SIGTERM", onTerm);
  return {
    /** Sets the command that TERM ends; acts at once on an earlier TERM. */
    stops(running: RunningCommand, order: () => StopOrder): void {
      act = () => {
        settle?.();
        const { signal, graceMs } = order();
        settle = endCommand(running, signal, graceMs);
      };
      if (isAsked) act();
    },
    end() {
      settle?.();
      process.off("SIGTERM", onTerm);
    },
  };
}
