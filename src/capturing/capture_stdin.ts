/**
 * Stores or passes through stdin. Most input takes one or two reads; the code for longer input is loaded when needed.
 */

import { isSweepDue } from "../../fd/mod.ts";
import { failureIn, type FdFailure } from "../../fd/system.ts";
import type { Host, Outcome } from "../calls/terms/command.ts";
import { readStdin, readStdinNow } from "../calls/streams/read_stdin.ts";
import { STDERR } from "../calls/streams/standard_streams.ts";
import { isTerminal } from "../calls/streams/terminal.ts";
import type { CaptureOptions } from "./capture_options.ts";
import type { CaptureProgress } from "./capture_progress.ts";
import type { Interruption } from "./interruption.ts";
import { type ForwardTarget, forwardTo } from "./forward_output.ts";
import { passThrough } from "../answers/parts/text_answer.ts";
import {
  acceptOutput,
  endOutput,
  type Input,
  type OutputResult,
  type OutputSink,
  outputSink,
  readInput,
} from "./store_output.ts";
import { storedResult } from "./stored_result.ts";

interface StdinCapture {
  options: CaptureOptions;
  sink: OutputSink;
  input: Input;
  host: Host;
  target?: ForwardTarget;
  /** Set once the capture takes more than a few reads. */
  progress?: CaptureProgress;
}

const STDIN: Input = { read: readStdin, readNow: readStdinNow };
const MAX_FIRST_READS = 2;
const NO_FAILURES: readonly FdFailure[] = [];

/** Captures stdin, or what another `input` gives. */
export async function captureStdin(
  options: CaptureOptions,
  host: Host,
  input: Input = STDIN,
): Promise<Outcome> {
  const sink = outputSink({
    options,
    host,
    origin: { source: "stdin" },
    forward: (bytes) => forwardStdout(capture, bytes),
  });
  const capture: StdinCapture = { options, sink, input, host };
  let readFailures = NO_FAILURES;
  try {
    for (let reads = 0;; reads++) {
      // A person may press Ctrl-C during a read that waits.
      const byteLength = readInput(sink, input, true);
      if (byteLength === 0) break;
      if (byteLength === undefined) return await captureRest(capture);
      const isLong = reads === MAX_FIRST_READS || sink.put.store !== undefined || sink.failed !== undefined;
      if (isLong) return await captureRest(capture, byteLength);
      acceptOutput(sink, byteLength);
    }
  } catch (thrown) {
    readFailures = [failureIn(thrown)];
  }
  return await finish(capture, readFailures);
}

function forwardStdout(capture: StdinCapture, bytes: Uint8Array): boolean {
  // Forwarded bytes may appear on the terminal line that shows progress.
  capture.target ??= forwardTo("stdout", () => capture.progress?.erase());
  return capture.target.forward(bytes);
}

async function captureRest(capture: StdinCapture, pendingBytes?: number): Promise<Outcome> {
  const { readRest } = await import("./read_rest.ts");
  const { sink, input, host } = capture;
  let interruption: Interruption | undefined;
  if (await isTerminal(STDERR)) {
    const [{ startProgress }, { watchInterruption }] = await Promise.all([
      import("./capture_progress.ts"),
      import("./interruption.ts"),
    ]);
    capture.progress = await startProgress(host.env, sink.put.stored());
    interruption = watchInterruption();
  }
  const readFailures = await readRest(sink, pendingBytes, input, capture.progress, interruption);
  capture.progress?.erase();
  if (interruption?.happened() === true) {
    const { interruptedOutcome } = await import("./interruption.ts");
    return await interruptedOutcome(sink, interruption, host, capture.options.name);
  }
  interruption?.end();
  return await finish(capture, readFailures);
}

async function finish(capture: StdinCapture, readFailures: readonly FdFailure[]): Promise<Outcome> {
  const { options, sink } = capture;
  const result = readFailures.length === 0 ? endOutput(sink) : endOutput(sink, { incomplete: true });
  const isPlain = readFailures.length === 0 && !options.tee && options.name === undefined;
  if (isPlain && result.kind === "small") return { exitCode: 0, answer: passThrough(result.bytes, "stdout") };
  const isOwn = isPlain && result.kind === "stored" && result.store.backend.isDoneWhenSealed;
  if (!isOwn || isSweepDue(result.store, Date.now())) return await report(capture, result, readFailures);
  const { answer, failures } = await storedResult(result, { options, remarks: [] });
  return failures.length === 0 ? { exitCode: 0, answer } : { exitCode: 1, answer, failures };
}

/** Reports any result; {@link finish} answers the frequent ones without loading this. */
async function report(
  { options, target }: StdinCapture,
  result: OutputResult,
  readFailures: readonly FdFailure[],
): Promise<Outcome> {
  const { captureOutcome } = await import("./capture_outcome.ts");
  const reported = await captureOutcome([{ result, options, goesTo: "stdout", remarks: [] }]);
  const failures = [...reported.failures, ...(target?.failures ?? []), ...readFailures];
  // If only storing failed, the caller still got all of its input, but not the name.
  const isDelivered = failures.length === 0 ||
    (result.kind === "failed" && result.missingBytes === 0 && options.name === undefined &&
      failures.length === result.failures.length);
  return { ...reported, failures, exitCode: isDelivered ? 0 : 1 };
}
