/**
 * `run`: a command's output is passed through when it is small and stored when it is not; its verdict stays its own
 * (contract, Capturing and law 6).
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";
import { findFd } from "../../fd/mod.ts";
import { failureOfSystem, type FdFailure } from "../../fd/system.ts";
import { captureOptionSpecs, parseCaptureOptions } from "../capturing/capture_options.ts";
import { captureOutcome, type EndedStream } from "../capturing/capture_outcome.ts";
import { forwardTo } from "../capturing/forward_output.ts";
import type { CaptureProgress } from "../capturing/capture_progress.ts";
import {
  endOutput,
  outputSink,
  storeHeld,
  watchLong,
  watchPauses,
  writeOutput,
} from "../capturing/store_output.ts";
import type { CommandCall, Host, Outcome } from "../calls/terms/command.ts";
import {
  flagOption,
  type RequestFields,
  type RequestOf,
  textOption,
} from "../calls/requests/request_fields.ts";
import { durationOf } from "../calls/requests/duration.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { shellLine } from "../answers/parts/next_command.ts";
import { shellWords } from "../calls/streams/find_program.ts";
import { inheritedDescriptors } from "../calls/streams/inherited_descriptors.ts";
import { endWithin, makePipes, RUNTIME_MAKES_PIPES } from "../calls/streams/output_pipe.ts";
import { closedStreams } from "../calls/streams/ready_pipes.ts";
import { limitTime, passSignals } from "../calls/streams/signal_command.ts";
import { startOnTerminal } from "../calls/streams/pseudo_terminal.ts";
import { type CommandToStart, startCommand } from "../calls/streams/start_command.ts";
import {
  BY_SIGNAL,
  NOT_EXECUTABLE,
  NOT_FOUND,
  NOT_STARTED,
  resolveCommand,
  runExitCode,
  startFailure,
  TIMED_OUT,
} from "../calls/streams/verdict.ts";
import { STDERR, STDIN, STDOUT } from "../calls/streams/standard_streams.ts";
import { isTerminal, mayBeTerminal } from "../calls/streams/terminal.ts";
import { isAgents } from "../answers/screen/terminal_format.ts";
import { plainText } from "../calls/terms/control_chars.ts";
import { failConflict, failUsage, failValue } from "../calls/requests/usage_failure.ts";

/** How long to wait for a line of a background command; `wait` goes on. */
const UNTIL_SECONDS = 60;

const FIELDS = {
  shell: flagOption("run CMD as one line of /bin/sh"),
  timeout: textOption(
    "DURATION",
    "stop it after 90s, 10m, 1h30m: TERM, then KILL after 5 s, to its process group; with --until, only stop waiting",
  ),
  cwd: textOption("DIR", "run it in DIR"),
  pty: flagOption("run it on a terminal of its own: colours, progress, full-screen programs (Linux)"),
  wait_all: flagOption("also wait for processes in the background that have the output open, as $( ) does"),
  split: flagOption("store stdout and stderr as two fds; --name names stdout's"),
  background: {
    kind: "flag",
    option: {
      aliases: ["bg", "detach"],
      help:
        "print the handle at once and run the command in the background, without stdin; all output is stored",
    },
  },
  until: textOption(
    "PATTERN",
    `in the background: print the first line that matches (wait ${UNTIL_SECONDS} s or --timeout for it)`,
  ),
} as const satisfies RequestFields;

export const command = defineOperation({
  leadingOptions: captureOptionSpecs(),
  fields: FIELDS,
  rules: [
    { field: "until", excludes: ["split"], why: "there is one output to wait for" },
    {
      field: "pty",
      excludes: ["split", "background", "until"],
      why: "a terminal has one output, and a person",
    },
  ],
  usage: "[options] -- CMD [ARG...]",
  takesRest: true,
  example: "fdtool run --timeout 10m -- make -j4",
  failsOpen: true,
  exitCodes: {
    0: [
      "or N: the command's own exit code, even if storing failed (see stderr)",
      "with --background: the command was started (fdtool wait FD returns its exit code)",
      "with --until: a line matched",
    ],
    [TIMED_OUT]: "timed out",
    [NOT_STARTED]: "fdtool failed before the command started",
    [NOT_EXECUTABLE]: "the command cannot be executed",
    [NOT_FOUND]: "command not found",
    [BY_SIGNAL]: "plus n: killed by signal n",
  },
  async run({ until, background, ...given }, host, call) {
    const asked = await askedOf(given, call, host);
    const inherited = inheritedDescriptors();
    const unfit = asked.chdir === undefined ? undefined : directoryFailure(asked.chdir);
    if (unfit !== undefined) return { exitCode: NOT_STARTED, failures: [unfit] };
    const isBackground = background === true || until !== undefined;
    if (isBackground && asked.options.about !== undefined) {
      const first = until === undefined ? "--background" : "--until";
      failConflict("run", first, "--about", "fdtool wait FD --about TEXT when it has ended");
    }
    if (until !== undefined) (await import("../reading/await_line.ts")).checkAwaited(until);
    const directory = isBackground ? asked.cwd : asked.chdir;
    const program = await resolveCommand(asked.words, directory, host.env["PATH"]);
    if (program.kind === "refused") return program.outcome;
    if (isBackground) {
      const { startInBackground } = await import("../capturing/background/start_background.ts");
      if (until === undefined) return await startInBackground({ ...asked, ...program.start }, host);
      const started = await startInBackground({ ...asked, ...program.start, limitMs: undefined }, host);
      return await lineOf(started, until, asked, host);
    }
    const hasWindow = await isTerminal(STDIN);
    const { start, env } = asked.isOnTerminal
      ? startOnTerminal(program.start, host.env, hasWindow, shellLine)
      : { start: program.start, env: host.env };
    // At a terminal the command stays in the foreground group, so that it can read what is typed.
    const ownGroup = asked.limitMs !== undefined && !asked.isOnTerminal || !hasWindow;
    // What is not typed would be echoed, and its end is not passed on.
    const noInput = asked.isOnTerminal && !hasWindow;
    // stdout and stderr are of use without a reader: they are stored.
    const closed = closedStreams().filter((stream) => stream === STDIN && !noInput);
    const toStart = { ...start, cwd: asked.chdir, env, ownGroup, descriptors: inherited, noInput, closed };
    return await runToEnd(toStart, asked, host).catch(startFailure(program.start.path));
  },
});

/**
 * `again`: runs the command of an fd once more in its directory. An agent's harness judges commands by their words, which this
 * one does not show, so agents run it as their own.
 */
export const again = defineOperation({
  fields: {
    fd: { kind: "fd", isRequired: true, isArgument: true },
    yes: { kind: "flag", option: { short: "y", help: "don't ask" } },
  },
  usage: "FD [options]",
  example: "fdtool again fd:12 --yes",
  exitCodes: {
    0: "or N: the command's own exit code",
    1: "refused, not agreed to, or failed",
  },
  async run({ fd, yes }, host) {
    const { command: words, cwd } = findFd(openHostStore(host), fd);
    if (words === undefined) failValue("again", "FD", fd, "an fd that a command wrote");
    const place = cwd === undefined ? "" : `--cwd ${shellLine([cwd])} `;
    const own = `fdtool run ${place}-- ${shellLine(words)}`;
    if (isAgents(host.env)) failValue("again", "FD", fd, `the command itself, since an agent calls: ${own}`);
    const where = cwd === undefined ? "" : ` in ${plainText(cwd)}`;
    const { agreesAtTerminal } = await import("../writing/ask_person.ts");
    const agrees = yes === true || agreesAtTerminal(`Run ${plainText(shellLine(words))}${where}?`);
    if (agrees === undefined) failValue("again", "FD", fd, `--yes, since there is no terminal to ask at`);
    if (!agrees) return { exitCode: 1, failures: [] };
    const options = cwd === undefined ? {} : { cwd };
    return await command.run({ command: "run", positionals: [], options, rest: words }, host);
  },
});

/** Waits for a line of the command that was started. */
async function lineOf(started: Outcome, until: string, asked: AskedRun, host: Host): Promise<Outcome> {
  const { answer } = started;
  if (answer?.type !== "fd_result") return started;
  const { awaitLine } = await import("../reading/await_line.ts");
  const { limitMs = UNTIL_SECONDS * 1000 } = asked;
  const deadlineMs = performance.now() + limitMs;
  const timeout = asked.limitMs === undefined ? `${UNTIL_SECONDS}s` : asked.limitText;
  const awaited = { fd: answer.fd, until, deadlineMs, timeout, preview: "digest" } as const;
  return await awaitLine(openHostStore(host), awaited);
}

type AskedRun = Awaited<ReturnType<typeof askedOf>>;

/** A call's options, resolved. */
async function askedOf(
  { shell, timeout: limitText = "0", cwd, pty, wait_all, split }: RequestOf<typeof FIELDS>,
  { options, rest }: CommandCall,
  host: Host,
) {
  if (rest.length === 0) failUsage({ kind: "missing_argument", command: "run", argument: "CMD" });
  const chdir = cwd === undefined ? undefined : resolve(host.cwd, cwd);
  const limitMs = durationOf("run", "--timeout", limitText);
  const captureOptions = parseCaptureOptions("run", options);
  const isOtherAsked = options["tee"] === true || options["background"] === true ||
    options["preview"] !== undefined || options["preview-chars"] !== undefined;
  const isSeen = await isTerminal(STDOUT);
  /** Whether a person at a terminal gets the output as it comes, or the next program in the person's pipe. */
  const isLive = host.isForPeople === true && !isOtherAsked && (isSeen || host.takesWhole === true);
  return {
    /** The command as it is run and recorded. */
    words: shell === true ? shellWords(rest.join(" "), host.env) : [...rest],
    /** The working directory, for the record. */
    cwd: chdir ?? host.cwd,
    /** The directory to change to, where one was given. */
    chdir,
    options: isLive && options["threshold"] === undefined
      // What has scrolled away can still be read and searched.
      ? { ...captureOptions, thresholdChars: 0 }
      : captureOptions,
    isLive,
    isPiped: isLive && !isSeen,
    split: split === true,
    isOnTerminal: pty === true,
    waitsForAll: wait_all === true,
    limitMs: limitMs === 0 ? undefined : limitMs,
    limitText,
  };
}

/** Why a command cannot run in `directory`; undefined if it can. */
function directoryFailure(directory: string): FdFailure | undefined {
  const action = "run in";
  try {
    const stat = statSync(directory, { throwIfNoEntry: false });
    if (stat === undefined) return { kind: "file_not_found", path: directory, action };
    if (!stat.isDirectory()) return { kind: "read_error", path: directory, action, code: "ENOTDIR" };
    accessSync(directory, constants.X_OK);
    return undefined;
  } catch (thrown) {
    return failureOfSystem(thrown, "read", action, directory);
  }
}

/** One of the command's streams on its way; `live` is its target, if a person sees the output as it comes. */
async function outputStream(
  goesTo: "stdout" | "stderr",
  source: string,
  asked: AskedRun,
  host: Host,
  progress: CaptureProgress | undefined,
) {
  // A name means one fd.
  const options = goesTo === "stderr" ? { ...asked.options, name: undefined } : asked.options;
  const live = asked.isLive
    ? await (await import("../capturing/live_output.ts")).showLive(goesTo, host.env, asked.isOnTerminal)
    : undefined;
  // The terminal may show what is forwarded where the progress line is.
  const target = live ?? forwardTo(goesTo, progress?.erase);
  const sink = outputSink({
    options: { ...options, tee: options.tee || asked.isLive },
    host,
    origin: { source, command: asked.words, cwd: asked.cwd },
    forward: target.forward,
  });
  return { goesTo, options, target, live, sink };
}

type OutputStream = Awaited<ReturnType<typeof outputStream>>;

async function runToEnd(toStart: CommandToStart, asked: AskedRun, host: Host): Promise<Outcome> {
  const isQuiet = asked.isLive || asked.options.tee;
  const progress = !isQuiet && mayBeTerminal(STDERR)
    ? await (await import("../capturing/capture_progress.ts")).startProgress(host.env)
    : undefined;
  // stdout with stderr in it, or the two apart.
  const streams = [await outputStream("stdout", asked.split ? "run stdout" : "run", asked, host, progress)];
  if (asked.split) streams.push(await outputStream("stderr", "run stderr", asked, host, progress));
  const written = await writtenRun(toStart, asked, host, streams, progress);
  const { pid, startedAt, end, durationMs, endedWhat, readEnds } = written;
  const exitCode = runExitCode(end, endedWhat === "command");
  const remarks = endedWhat === undefined ? [] : [
    endedWhat === "command"
      ? `The command was ended after its time limit of ${asked.limitText}.`
      : `Background processes of the command were ended after its time limit of ${asked.limitText}.`,
  ];
  streams.forEach(({ live }) => live?.end());
  const marked = streams.some(({ live }) => live?.hasMark() === true) || undefined;
  const ended: EndedStream[] = streams.map(({ sink, options, goesTo, live }) => ({
    result: endOutput(sink, { exitCode, signal: end.signal, durationMs }),
    options,
    goesTo,
    remarks,
    shown: live === undefined ? undefined : {
      stream: asked.split ? goesTo : undefined,
      exit_code: exitCode,
      signal: end.signal,
      duration_ms: durationMs,
      marked,
    },
  }));
  const reported = asked.isPiped ? besideOutput(await captureOutcome(ended)) : await captureOutcome(ended);
  const left = readEnds.length === 0 ? undefined : await (await leaving()).leaveCommand(
    { ...toStart, ...asked, limitMs: asked.limitMs && asked.limitMs - (performance.now() - startedAt) },
    { pid, end: { exitCode, signal: end.signal, durationMs } },
    streams.map(({ goesTo, sink }, at) => ({
      byteCount: sink.put.byteCount,
      source: asked.split ? `run ${goesTo}` : "run",
      result: ended[at]!.result,
      readEnd: readEnds[at],
    })),
    host,
  );
  // What passes through on stdout is the command's own.
  const isAside = reported.answer?.type !== "fd_result";
  const failures = [...reported.failures, ...streams.flatMap(({ target }) => target.failures)];
  return {
    ...reported,
    exitCode,
    asides: [...reported.asides ?? [], ...isAside ? left?.answers ?? [] : []],
    furtherAnswers: [...reported.furtherAnswers ?? [], ...isAside ? [] : left?.answers ?? []],
    failures: [...failures, ...left?.failures ?? []],
  };
}

/** The outcome with all answers on stderr: the next program gets the command's own output. */
function besideOutput<Reported extends Omit<Outcome, "exitCode">>(reported: Reported): Reported {
  const { answer, furtherAnswers = [], asides = [] } = reported;
  const answers = answer === undefined ? furtherAnswers : [answer, ...furtherAnswers];
  return { ...reported, answer: undefined, furtherAnswers: [], asides: [...asides, ...answers] };
}

/** Runs the command and writes what arrives to its streams, until it ends or leaves work in the background. */
async function writtenRun(
  toStart: CommandToStart,
  asked: AskedRun,
  host: Host,
  streams: readonly OutputStream[],
  progress: CaptureProgress | undefined,
) {
  const pauses = watchPauses(() => streams.forEach(({ sink }) => storeHeld(sink)));
  let lastAtMs = 0;
  const [takeOut, takeErr] = streams.map(({ sink }) => (bytes: Uint8Array) => {
    lastAtMs = performance.now();
    const isDue = progress?.count(bytes, bytes.length) === true;
    writeOutput(sink, bytes);
    if (sink.put.isHeld) pauses.expect();
    void watchLong(sink);
    if (isDue) progress?.show();
  });
  const signals = passSignals();
  const startedAt = performance.now();
  try {
    const pipes = RUNTIME_MAKES_PIPES ? undefined : makePipes(streams.length, host.env);
    const running = await startCommand(toStart, pipes, takeOut!, takeErr);
    signals.to(running.pid, toStart.ownGroup);
    const limit = asked.limitMs === undefined ? undefined : limitTime(running, asked.limitMs);
    const end = await running.ended;
    const durationMs = performance.now() - startedAt;
    // Output may go on after the command, from what it left in the background.
    const { readings } = running;
    const mayLeave = pipes !== undefined && toStart.ownGroup && !asked.waitsForAll && !asked.isLive;
    const isLeft = mayLeave && !await endWithin(readings, SOON_MS) &&
      await (await leaving()).goesOn(readings, () => lastAtMs) &&
      streams.every(({ sink }) => sink.failed === undefined);
    const readEnds = isLeft ? await Promise.all(readings.map((reading) => reading.leave())) : [];
    if (!isLeft) await Promise.all(readings.map((reading) => reading.done));
    limit?.end();
    return { pid: running.pid, startedAt, end, durationMs, readEnds, endedWhat: limit?.endedWhat() };
  } finally {
    pauses.end();
    signals.end();
    progress?.erase();
  }
}

/** Loaded for the few commands that leave something behind. */
const leaving = () => import("../capturing/background/leave_command.ts");

/** The output of most commands ends with them. */
const SOON_MS = 20;
