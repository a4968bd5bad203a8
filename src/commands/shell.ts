/**
 * `shell`: a shell whose large output is stored (contract, The shell). To its caller it is that shell: the same exit
 * code or signal, files, working directory and processes that go on. Small output passes through unchanged.
 */

import process from "node:process";
import { undefinedIf } from "../../fd/system.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { parseCaptureOptions } from "../capturing/capture_options.ts";
import { commandLineOf, isOwnCall, lineIndex, recordedCommand } from "../harnesses/own_call.ts";
import { ShellOutput } from "../capturing/shell_output.ts";
import { endOutput, type OutputOrigin } from "../capturing/store_output.ts";
import { textAnswer } from "../answers/parts/text_answer.ts";
import { isNamed } from "../calls/streams/find_program.ts";
import { inheritedDescriptors } from "../calls/streams/inherited_descriptors.ts";
import { endWithin, makePipes, passOn, type PipeReading, type Take } from "../calls/streams/output_pipe.ts";
import { closedStreams } from "../calls/streams/ready_pipes.ts";
import {
  isStartedByLauncher,
  isToBeStarted,
  startShell,
  takeStarted,
} from "../calls/streams/started_shell.ts";
import { passSignals } from "../calls/streams/signal_command.ts";
import { type CommandToStart, exactly, startAttached, startCommand } from "../calls/streams/start_command.ts";
import { areOneFile, STDERR, STDOUT } from "../calls/streams/standard_streams.ts";
import { isDevice, isTerminal } from "../calls/streams/terminal.ts";
import {
  endedLike,
  exitCodeOf,
  NOT_EXECUTABLE,
  NOT_FOUND,
  NOT_STARTED,
  resolveCommand,
  startFailure,
} from "../calls/streams/verdict.ts";
import type { Host, Outcome } from "../calls/terms/command.ts";

export const command = defineOperation({
  usage: "[bash options] -c COMMAND [NAME ARG...]",
  takesAll: true,
  example: "fdtool shell -c 'make -j4; echo done'",
  notes: [
    "A drop-in for bash -c wherever a program lets you name the shell: it takes the same arguments as bash. FDTOOL_SHELL names another shell. Output of more than 8000 chars is stored, stdout and stderr in order, and a preview is printed when the command ends. Smaller output passes through unchanged, when the command ends or has printed nothing for a second. At a terminal it is just the shell.",
  ],
  failsOpen: true,
  exitCodes: {
    0: "or N: the shell's own exit code; if a signal ended the shell, the same signal",
    2: [],
    [NOT_STARTED]: "the shell was not started",
    [NOT_EXECUTABLE]: "the shell cannot be executed",
    [NOT_FOUND]: "the shell was not found",
  },
  async run(_, host, { rest }) {
    const line = commandLineOf(rest);
    // Answers of fdtool are bounded, or what the caller asked for: they are not stored once more.
    const isOwn = isOwnCall(line ?? "");
    if (isStartedByLauncher(host.env)) {
      return isOwn ? { exitCode: 0 } : await runKept(undefined, rest, line, host);
    }
    const descriptors = inheritedDescriptors();
    const words = [shellOf(host.env), ...rest];
    let shell = await resolveCommand(words, undefined, host.env["PATH"]);
    // A PATH need not have bash for a caller that knows it by its path.
    if (shell.kind === "refused" && words[0] === BASH) {
      shell = await resolveCommand(words, undefined, "/usr/bin:/bin");
    }
    if (shell.kind === "refused") return shell.outcome;
    // In the caller's group: a signal to the group reaches the shell too, and a terminal stays its own.
    const toStart: CommandToStart = {
      ...exactly(shell.start, rest, host.env),
      cwd: undefined,
      env: host.env,
      ownGroup: false,
      descriptors,
      closed: closedStreams(),
    };
    // A device shows no answer.
    const isShown = isOwn || isDevice(STDOUT) || await isTerminal(STDERR);
    const running = isShown ? runAttached(toStart) : runKept(toStart, rest, line, host);
    return await running.catch(startFailure(toStart.path));
  },
});

const BASH = "bash";

function shellOf(env: Host["env"]): string {
  return env["FDTOOL_SHELL"] || BASH;
}

async function runAttached(toStart: CommandToStart): Promise<Outcome> {
  const signals = passSignals();
  const { pid, ended } = await startAttached(toStart, "inherit");
  signals.to(pid, false);
  const end = await ended;
  signals.end();
  return endedLike(end, {});
}

type CutFunctions = ReturnType<typeof import("../capturing/cut_functions.ts").cutFunctions> | undefined;

/** After one of these a harness kills. */
const FATAL = ["SIGTERM", "SIGINT", "SIGHUP", "SIGALRM"] as const;

/** Runs the shell, or takes the output of one that the launcher starts. */
async function runKept(
  toStart: CommandToStart | undefined,
  words: readonly string[],
  line: string | undefined,
  host: Host,
): Promise<Outcome> {
  const options = parseCaptureOptions("shell", {});
  const isOne = areOneFile(STDOUT, STDERR);
  const origin: OutputOrigin = {
    source: "shell",
    get command() {
      return recordedCommand(words, shellOf(host.env));
    },
  };
  const output = new ShellOutput({ options, host, origin });
  // Loaded for pipes alone: a small call does without. Other shells would hand bash's variable on to scripts.
  const isToStart = toStart !== undefined || isToBeStarted(host.env);
  const cuts = isToStart && line?.includes("|") === true && isNamed(shellOf(host.env), "bash")
    ? (await import("../capturing/cut_functions.ts")).cutFunctions(words, lineIndex(words)!, line, host.env)
    : undefined;
  if (toStart === undefined && isToStart) startShell(cuts?.commandLine, cuts?.env ?? {});
  const signals = passSignals();
  for (const signal of FATAL) process.on(signal, output.flush);
  const startedAt = performance.now();
  let left: (() => void)[] = [];
  try {
    const takers = [output.taker(STDOUT), ...isOne ? [] : [output.taker(STDERR)]] as [Take, Take?];
    const running = toStart === undefined
      ? await takeStarted(takers, output.flush)
      : await startCommand(withCuts(toStart, words, cuts), makePipes(takers.length, host.env), ...takers);
    signals.to(running.pid, false);
    const end = await running.ended;
    left = await leaveBackground(running.readings, output);
    const durationMs = performance.now() - startedAt + (running.elapsedMs ?? 0);
    const exitCode = exitCodeOf(end);
    output.end();
    const result = endOutput(output.sink, { exitCode, signal: end.signal, durationMs });
    let reported: Omit<Outcome, "exitCode"> = {};
    if (result.kind === "small") output.forward(result.bytes);
    else {
      const { captureOutcome } = await import("../capturing/capture_outcome.ts");
      reported = await captureOutcome([{ result, options, goesTo: "stdout", remarks: output.remarks() }]);
    }
    const asides = [...reported.asides ?? []];
    const failures = [...reported.failures ?? [], ...output.failures];
    if (cuts?.hasCopies()) {
      const { cutNotices } = await import("../capturing/cut_pipes.ts");
      const { byteCount } = output.sink.put;
      const bytes = result.kind === "small" ? result.bytes : undefined;
      // The command has ended, and its code is the answer.
      const cut = await cutNotices({ ...cuts, line: line!, exitCode, byteCount, output: bytes }, host)
        .catch(undefinedIf());
      // On stderr and after the output: it is not part of it.
      if (cut?.text) asides.push(textAnswer(cut.text));
      failures.push(...cut?.failures ?? []);
    }
    const outcome = { ...reported, asides, failures };
    // The launcher ends as the shell has ended.
    return toStart === undefined ? { ...outcome, exitCode: 0 } : endedLike(end, outcome);
  } finally {
    left.forEach((pass) => pass());
    for (const signal of FATAL) process.off(signal, output.flush);
    signals.end();
    cuts?.end();
  }
}

/** The shell with functions that keep what its pipes cut away. */
function withCuts(toStart: CommandToStart, words: readonly string[], cuts: CutFunctions): CommandToStart {
  if (cuts === undefined) return toStart;
  const line = words[lineIndex(words)!];
  const args = toStart.args.map((word) => word === line ? cuts.commandLine ?? word : word);
  return { ...toStart, args, env: { ...toStart.env, ...cuts.env } };
}

/** How long the output may go on after the shell before it counts as that of processes in the background. */
const DRAIN_MS = 20;

/**
 * Waits for the end of the output, or leaves what processes in the background still write: the shell has ended, and its caller
 * does not wait for them. Returns what starts a `cat` that passes it on, once all before it has been.
 */
async function leaveBackground(
  readings: readonly PipeReading[],
  output: ShellOutput,
): Promise<(() => void)[]> {
  if (await endWithin(readings, DRAIN_MS)) return [];
  const readEnds = await Promise.all(readings.map((reading) => reading.leave()));
  return readEnds.flatMap((readEnd, index) =>
    readEnd === undefined ? [] : () => passOn(readEnd, output.streams[index]!)
  );
}
