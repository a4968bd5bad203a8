/**
 * Runs a command with a forked store; `fork` and `spawn` differ only in what the store holds. The command writes to the
 * caller's stdout and stderr, and its exit code is passed on (contract, law 6).
 */

import process from "node:process";
import {
  addForkOwner,
  dropDeadForks,
  dropForkHome,
  type ForkReport,
  formatFd,
  highestId,
  makeForkHome,
  type Store,
  temporaryPath,
} from "../../fd/mod.ts";
import {
  fail,
  failureIn,
  failureOfSystem,
  FdError,
  type FdFailure,
  ifPossible,
  removeStaged,
  stageFile,
  systemCode,
} from "../../fd/system.ts";
import { resolve } from "node:path";
import type { Report } from "../calls/terms/reports.ts";
import type { RequestField } from "../calls/requests/request_fields.ts";
import type { Host, Outcome } from "../calls/terms/command.ts";
import { failUsage } from "../calls/requests/usage_failure.ts";
import { counted } from "../answers/parts/grouped_digits.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { inheritedDescriptors } from "../calls/streams/inherited_descriptors.ts";
import { passSignals } from "../calls/streams/signal_command.ts";
import { type CommandToStart, startAttached, StartError } from "../calls/streams/start_command.ts";
import {
  BY_SIGNAL,
  exitCodeOf,
  NOT_EXECUTABLE,
  NOT_FOUND,
  NOT_STARTED,
  resolveCommand,
  startVerdict,
} from "../calls/streams/verdict.ts";
import { isTerminal } from "../calls/streams/terminal.ts";
import { resolveInRoot } from "../writing/commit/target_path.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync } from "node:fs";
import type { Writable } from "node:stream";
import { findProgram } from "../calls/streams/find_program.ts";
import { makePipes, RUNTIME_MAKES_PIPES } from "../calls/streams/output_pipe.ts";

const STDIN = 0;

/** The directory of the child's store, if it is kept. */
export const KEEP_FIELD = {
  kind: "text",
  option: {
    value: "DIR",
    aliases: ["store-at"],
    help: "keep the child's store in DIR (default: temporary, deleted when CMD exits)",
  },
} as const satisfies RequestField;

export const forkExitCodes = {
  0: "or N: the command's own exit code",
  1: "without CMD: the store could not be created",
  [NOT_STARTED]: "fdtool failed before the command started",
  [NOT_EXECUTABLE]: "the command cannot be executed",
  [NOT_FOUND]: "command not found",
  [BY_SIGNAL]: "plus n: killed by signal n",
};

interface RunInStore {
  /** The name of fdtool's command. */
  command: string;
  /** Empty: make and keep the store, and run nothing. */
  words: readonly string[];
  /** The directory to keep the store in; undefined: a temporary store. */
  keepIn: string | undefined;
  makeStore(from: Store, path: string): Promise<MadeStore>;
}

export interface MadeStore {
  report: ForkReport;
  /** Bytes for the command's stdin, before the caller's. */
  preamble?: Iterable<Uint8Array> | undefined;
  /** The largest copied id; the command itself creates the ids above. */
  lastGivenId: number;
  /** Of a fork from a shared store: what it lacks. */
  cached?: { leftOutCount?: number | undefined; failure?: FdFailure | undefined } | undefined;
}

/** Makes the store, runs the command with it, and deletes it unless it is kept. */
export async function runInStore(run: RunInStore, host: Host): Promise<Outcome> {
  const descriptors = inheritedDescriptors();
  const from = openHostStore(host);
  const { words, keepIn } = run;
  if (words.length === 0) {
    if (keepIn === undefined) failUsage({ kind: "missing_argument", command: run.command, argument: "CMD" });
    const made = await run.makeStore(from, resolveInRoot(keepIn, host));
    const { report } = made;
    const said = `The store in ${report.store.path} has ${counted(report.fdCount, "fd")}.`;
    return { exitCode: 0, answer: forkAnswer(made, [said, ...remarksOf(made)], true) };
  }
  const program = await resolveCommand(words, undefined, host.env["PATH"]);
  if (program.kind === "refused") return program.outcome;
  // Caught before there is anything to clean up.
  const signals = passSignals();
  const failures: FdFailure[] = [];
  let home: string | undefined;
  try {
    dropDeadForks(from, Date.now());
    if (keepIn === undefined) home = makeForkHome(from);
    const made = await run.makeStore(from, home ?? resolveInRoot(keepIn!, host));
    const ownGroup = !(await isTerminal(STDIN));
    const env = environmentOf(host, made.report.store);
    const toStart = { ...program.start, cwd: undefined, env, ownGroup, descriptors };
    const exitCode = await runToEnd(toStart, made, signals, home, failures);
    const remarks = remarksOf(made);
    if (home !== undefined) remarks.push(...lostRemark(made));
    const asides = remarks.length === 0 ? [] : [forkAnswer(made, remarks, home === undefined)];
    return { exitCode, asides, failures };
  } catch (thrown) {
    const { exitCode, failure } = thrown instanceof StartError
      ? startVerdict(program.start.path, thrown.code)
      : { exitCode: NOT_STARTED, failure: failureIn(thrown) };
    failures.unshift(failure);
    return { exitCode, failures };
  } finally {
    if (home !== undefined) await orReport(failures, () => dropForkHome(home!));
    signals.end();
  }
}

/** Points the command to its own store, and confines it to the caller's root. */
function environmentOf(host: Host, store: Store): Host["env"] {
  const root = host.root === undefined ? {} : { FDTOOL_ROOT: resolve(host.cwd, host.root) };
  return { ...host.env, FDTOOL_STORE: store.path, ...root };
}

/**
 * Runs the command, and returns its exit code. A failure before it starts is thrown; a later one of its store or stdin is added
 * to `failures`.
 */
async function runToEnd(
  toStart: CommandToStart,
  { report, preamble }: MadeStore,
  signals: ReturnType<typeof passSignals>,
  home: string | undefined,
  failures: FdFailure[],
): Promise<number> {
  const feed = preamble === undefined ? undefined : feedStdin(report.store, preamble, toStart.env);
  try {
    const running = await startAttached(toStart, feed?.stdin ?? "inherit");
    signals.to(running.pid, toStart.ownGroup);
    if (home !== undefined) await orReport(failures, () => addForkOwner(home, running.pid));
    await orReport(failures, () => feed?.start(running.stdin));
    return exitCodeOf(await running.ended);
  } finally {
    await orReport(failures, () => feed?.end());
  }
}

/** Runs a step whose failure is added to `failures`. */
async function orReport(failures: FdFailure[], step: () => unknown): Promise<void> {
  try {
    await step();
  } catch (thrown) {
    failures.push(failureIn(thrown));
  }
}

/** Reports what the command's store lacks. */
function remarksOf({ report, cached }: MadeStore): string[] {
  const { snapshotIds, copiedBytes, copyReason } = report;
  const remarks: string[] = [];
  if (snapshotIds.length > 0) {
    remarks.push(
      `Still being written, so it has what had arrived, as incomplete: ${
        snapshotIds.map(formatFd).join(", ")
      }.`,
    );
  }
  if (copyReason !== undefined) {
    remarks.push(`${copiedBytes} bytes were copied, since the files could not be shared (${copyReason}).`);
  }
  if (cached?.failure !== undefined) {
    remarks.push("The shared store was not reached: what it has beyond this host's cache was left out.");
  }
  const count = cached?.leftOutCount ?? 0;
  if (count > 0) {
    const are = count === 1 ? "1 fd of the shared store was" : `${count} fds of the shared store were`;
    remarks.push(`${are} left out, not ended or not whole on this host; spawn --preload FD fetches it.`);
  }
  return remarks;
}

/** Reports what is lost with a temporary store; nothing if the command damaged it. */
function lostRemark({ report, lastGivenId }: MadeStore): string[] {
  const count = (ifPossible(() => highestId(report.store)) ?? 0) - lastGivenId;
  if (count <= 0) return [];
  const fds = count === 1 ? "The fd" : `The ${count} fds`;
  return [`${fds} that the command stored went with its store; --keep DIR keeps it.`];
}

function forkAnswer({ report, cached }: MadeStore, remarks: readonly string[], isKept: boolean): Report {
  const { store, fdCount, removedCount, nameCount, snapshotIds, copiedBytes, copyReason } = report;
  return {
    type: "fd_fork",
    facts: {
      store: isKept ? store.path : undefined,
      fd_count: fdCount,
      removed_count: removedCount,
      name_count: nameCount,
      left_out: cached?.leftOutCount,
      next_fd: formatFd(report.highestId + 1),
      copied_bytes: copiedBytes,
      copy_reason: copyReason,
      snapshots: snapshotIds.length === 0 ? undefined : snapshotIds.map((id) => ({ fd: formatFd(id) })),
    },
    message: remarks.join(" "),
    next: isKept ? { command: "ls", args: {}, store: store.path } : undefined,
  };
}

const CLOSED_CODES: readonly string[] = ["EPIPE", "ECONNRESET"];

/**
 * Prepares to feed `first`, which is kept in `store` meanwhile, and then the caller's stdin. `cat` joins the two: a read of the
 * caller's stdin in this process could not be cancelled when the command ends.
 *
 * @throws {FdError} `file_not_found` if `cat` is missing; any failure of writing to the store.
 */
function feedStdin(
  store: Store,
  first: Iterable<Uint8Array>,
  env: Readonly<Record<string, string | undefined>>,
) {
  const cat = findProgram("cat", "/", `/usr/bin:/bin:${env["PATH"] ?? ""}`);
  if (cat.kind !== "program") {
    throw new FdError({ kind: "file_not_found", path: "cat", action: "join the preamble and stdin with" });
  }
  const firstPath = temporaryPath(store.path, "preamble");
  stageFile({ temporaryPath: firstPath, content: { chunks: () => first }, mode: 0o600 });
  const [pipe] = (RUNTIME_MAKES_PIPES ? undefined : makePipes(1, env)) ?? [];
  const failStart = (thrown: unknown) => fail(failureOfSystem(thrown, "read", "start", cat.path));
  let feeder: ChildProcess | undefined;
  let isOpen = pipe !== undefined;
  const closePipe = () => {
    if (pipe === undefined || !isOpen) return;
    isOpen = false;
    closeSync(pipe.readEnd);
    closeSync(pipe.writeEnd);
  };
  return {
    stdin: pipe?.readEnd ?? "pipe" as const,
    /** Starts feeding; `stream` is the command's stdin if it was started with a stream. */
    start(stream: Writable | null): Promise<unknown> {
      feeder = spawn(cat.path, [firstPath, "-"], {
        stdio: ["inherit", pipe?.writeEnd ?? "pipe", "inherit"],
        env: { ...env },
      });
      // While this copy is open, the command would not see the end of file.
      closePipe();
      const started = once(feeder, "spawn").catch(failStart);
      if (stream !== null && feeder.stdout !== null) {
        // The command may stop reading before the end.
        stream.on("error", (thrown) => {
          if (!CLOSED_CODES.includes(systemCode(thrown) ?? "")) process.emitWarning(thrown);
        });
        feeder.stdout.pipe(stream);
      }
      return started;
    },
    /** Stops feeding, because the command has ended. */
    async end(): Promise<void> {
      closePipe();
      if (feeder !== undefined && feeder.exitCode === null && feeder.signalCode === null) {
        const ended = once(feeder, "exit").catch(failStart);
        feeder.kill("SIGTERM");
        await ended;
      }
      removeStaged(firstPath);
    },
  };
}
