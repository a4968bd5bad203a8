/**
 * The process that stays behind a background command: it stores what the command writes as it comes, attends to its
 * time limit and to `stop`, and seals the fd with how the command ended. It ends with the command's output. If it is
 * killed, the command's next write meets a closed pipe.
 *
 * @module
 */

import process from "node:process";
import {
  beginPut,
  FdError,
  giveUpPut,
  lastStop,
  type Put,
  type PutEnd,
  recordCommand,
  type Store,
  sweepSometimes,
} from "../../fd/mod.ts";
import { NOT_STARTED, runExitCode, startVerdict } from "../running/verdict.ts";
import { makePipes, RUNTIME_MAKES_PIPES } from "../running/output_pipe.ts";
import {
  type CommandEnding,
  endCommand,
  isSignal,
  KILL_AFTER_MS,
  limitTime,
  passSignals,
} from "../running/signal_command.ts";
import { type RunningCommand, startCommand, StartError } from "../running/start_command.ts";
import type { BackgroundJob, BackgroundStart } from "./background_job.ts";

/** What the supervisor has of the process that it runs in. */
export interface SupervisorHost {
  env: Readonly<Record<string, string | undefined>>;
  openStore(): Store;
  /** Tells the caller of `run`, once: when the command runs, or will not. */
  tell(start: BackgroundStart): void;
}

/** Runs a job to its end. */
export async function superviseCommand(job: BackgroundJob, host: SupervisorHost): Promise<void> {
  const stopping = awaitStop();
  const signals = passSignals(["SIGTERM"]);
  const kept: KeptStream[] = [];
  try {
    const store = host.openStore();
    for (const source of job.split ? ["run stdout", "run stderr"] : ["run"]) {
      kept.push(keepStream(beginPut(store, { ...job, source: job.source ?? source, command: job.words })));
    }
    const startedAt = performance.now();
    const running = await startJob(job, kept, host.env);
    signals.to(running.pid, true);
    const limit = job.limitMs === undefined ? undefined : limitTime(running, job.limitMs);
    const ids = kept.map(({ put }) => put.id);
    ids.forEach((id) => noteCommand(store, id, running.pid));
    host.tell({ kind: "started", ids });
    stopping.stops(running, () => wishedStop(store, ids));

    const end = await running.ended;
    const durationMs = performance.now() - startedAt;
    // As in `run`: output may go on after the command, from what it left in the background.
    await Promise.all(running.readings.map((reading) => reading.done));
    limit?.end();
    const exitCode = runExitCode(end, limit?.endedWhat() === "command");
    for (const stream of kept) stream.seal({ exitCode, signal: end.signal, durationMs });
    await sweep(store, ids);
  } catch (thrown) {
    const failed = failedStart(job, thrown);
    for (const stream of kept) stream.seal({ exitCode: failed.exitCode, incomplete: true });
    host.tell(failed);
  } finally {
    stopping.end();
    signals.end();
  }
}

async function startJob(
  { path, calledAs, args, cwd }: BackgroundJob,
  kept: readonly KeptStream[],
  env: SupervisorHost["env"],
): Promise<RunningCommand> {
  const [out, err] = kept;
  if (out === undefined) throw new Error("a command has at least one stream");
  const pipes = RUNTIME_MAKES_PIPES ? undefined : makePipes(kept.length, env);
  const command = { path, calledAs, args, cwd, env, ownGroup: true, noInput: true };
  return await startCommand(command, pipes, out.take, err?.take);
}

/** Why a job does not run. Throws what is no reason, but a fault of the program. */
function failedStart({ path }: BackgroundJob, thrown: unknown): BackgroundStart & { kind: "failed" } {
  if (thrown instanceof StartError) return { kind: "failed", ...startVerdict(path, thrown.code) };
  if (!(thrown instanceof FdError)) throw thrown;
  const { failure } = thrown;
  switch (failure.kind) {
    case "permission_error":
    case "write_error":
    case "read_error":
    case "storage_full":
      return { kind: "failed", exitCode: NOT_STARTED, failure };
    default:
      throw thrown;
  }
}

/** One of the command's streams on its way into the store. */
interface KeptStream {
  put: Put;
  take(bytes: Uint8Array): void;
  seal(end: PutEnd): void;
}

/**
 * Takes a stream's bytes. Once they cannot be stored any more they are let go, for there is nobody to hand them on to: the
 * command runs to its end, and the fd is incomplete.
 */
function keepStream(put: Put): KeptStream {
  let isFull = false;
  return {
    put,
    take(bytes) {
      try {
        if (!isFull) put.write(bytes);
      } catch (thrown) {
        if (!(thrown instanceof FdError)) throw thrown;
        isFull = true;
      }
    },
    seal(end) {
      try {
        put.seal({ ...end, incomplete: isFull || end.incomplete });
      } catch (thrown) {
        if (!(thrown instanceof FdError)) throw thrown;
        giveUpPut(put, end);
      }
    },
  };
}

/** Notes who writes. Where that cannot be written the command runs all the same, and only `stop` does not find it. */
function noteCommand(store: Store, id: number, pid: number): void {
  try {
    recordCommand(store, id, pid);
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
  }
}

async function sweep(store: Store, spared: readonly number[]): Promise<void> {
  try {
    await sweepSometimes(store, Date.now(), spared);
  } catch (thrown) {
    // Whoever cleans next meets it again, and has somebody to tell.
    if (!(thrown instanceof FdError)) throw thrown;
  }
}

interface StopWish {
  signal: NodeJS.Signals;
  graceMs: number;
}

/** How `stop` asked for the end; where nobody did, and TERM came by itself, as TERM is meant. */
function wishedStop(store: Store, ids: readonly number[]): StopWish {
  const wish = lastStop(store, ids);
  if (wish === undefined || !isSignal(wish.signal)) return { signal: "SIGTERM", graceMs: KILL_AFTER_MS };
  return { signal: wish.signal, graceMs: wish.graceMs };
}

/** TERM, which asks for the command's end. */
interface Stopping {
  /** Names the command; a TERM that came before counts now. */
  stops(running: RunningCommand, wish: () => StopWish): void;
  end(): void;
}

function awaitStop(): Stopping {
  let isAsked = false;
  let ending: CommandEnding | undefined;
  let act = (): void => {
    isAsked = true;
  };
  const onTerm = (): void => act();
  process.on("SIGTERM", onTerm);
  return {
    stops(running, wish) {
      act = () => {
        ending?.settle();
        const { signal, graceMs } = wish();
        ending = endCommand(running, signal, graceMs);
      };
      if (isAsked) act();
    },
    end() {
      ending?.settle();
      process.off("SIGTERM", onTerm);
    },
  };
}
