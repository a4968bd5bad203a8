/**
 * Reports the results of streams of output.
 */

import { bindForAll, formatFd, type Store } from "../../fd/mod.ts";
import { failureIn, type FdFailure } from "../../fd/system.ts";
import { passThrough, textAnswer } from "../answers/parts/text_answer.ts";
import { STDERR, STDOUT } from "../calls/streams/standard_streams.ts";
import { isTerminal } from "../calls/streams/terminal.ts";
import type { Answer } from "../calls/terms/answers.ts";
import type { NextCall } from "../calls/terms/next_call.ts";
import type { Outcome } from "../calls/terms/command.ts";
import type { CaptureOptions } from "./capture_options.ts";
import { closingOf, type ShownEnd, unstoredClosing } from "./closing.ts";
import { type SharedEntry, shareStored, sweepStore } from "./after_storing.ts";
import type { OutputResult, StoredOutput } from "./store_output.ts";
import { storedResult } from "./stored_result.ts";

export interface EndedStream {
  result: OutputResult;
  options: CaptureOptions;
  goesTo: "stdout" | "stderr";
  remarks: readonly string[];
  /** How it ended, if a person saw it as it came: then a closing line is the answer. */
  shown?: ShownEnd | undefined;
}

/**
 * Reports `streams` in order and binds requested names. If stdout carried the bytes themselves, results go to stderr. The
 * store is cleaned `afterwards`, if that is due.
 */
export async function captureOutcome(
  streams: readonly EndedStream[],
): Promise<Omit<Outcome, "exitCode"> & { failures: readonly FdFailure[] }> {
  const answers: Answer[] = [];
  const asides: Answer[] = [];
  const failures: FdFailure[] = [];
  const allStored: StoredOutput[] = [];
  for (const { result, options, goesTo, remarks, shown } of streams) {
    switch (result.kind) {
      case "small": {
        const named = result.stored && await nameStored(result.stored, options.name);
        if (result.stored !== undefined) allStored.push(result.stored);
        failures.push(...named?.failures ?? []);
        if (shown !== undefined) {
          answers.push(
            named === undefined
              ? unstoredClosing(result.bytes, shown, remarks)
              : closingOf(named.entry, shown, { remarks: [...remarks, ...named.remarks] }),
          );
          break;
        }
        if (!options.tee) answers.push(passThrough(result.bytes, goesTo));
        if (named !== undefined) {
          asides.push(textLine([`Stored as ${formatFd(named.entry.id)}.`, ...named.remarks].join(" ")));
        }
        break;
      }
      case "stored": {
        const named = await nameStored(result, options.name);
        const { entry } = named;
        allStored.push(result);
        // The terminal has just shown the bytes, so the preview would repeat them.
        const isShown = shown !== undefined ||
          options.tee && options.isPreviewAsked !== true && await isShownBesideStderr(goesTo);
        const said = [...remarks, ...named.remarks];
        const context = { options: isShown ? withoutPreview(options) : options, remarks: said };
        const stored = await storedResult({ ...result, entry }, context);
        if (shown !== undefined) {
          const { shared } = stored.answer;
          const next = await readAfter({ ...result, entry }, shown);
          const changed = await changeRemarks({ ...result, entry });
          answers.push(closingOf(entry, shown, { remarks: [...said, ...changed], shared, next }));
        } else (options.tee ? asides : answers).push(stored.answer);
        failures.push(...named.failures, ...stored.failures);
        break;
      }
      case "failed":
        failures.push(...result.failures);
        if (result.partial !== undefined && result.partial.entry.byteCount > 0) {
          const named = await nameStored(result.partial, options.name);
          failures.push(...named.failures);
          asides.push(await partialResult(result, result.partial.store, named, options));
        } else {
          const named = options.name === undefined
            ? []
            : [`ref:${options.name} was not bound to this output, of which nothing is stored.`];
          // Where a disk is full, a command that prints much may seem to have stopped there.
          const isFull = result.failures[0]?.kind === "storage_full";
          const sentences = isFull ? [...named, passedSentence(result)] : named;
          if (sentences.length > 0) asides.push(textLine(sentences.join(" ")));
        }
    }
  }
  const [answer, ...furtherAnswers] = answers;
  const afterwards = () => sweepStore(allStored);
  return { answer, furtherAnswers, asides, failures, afterwards };
}

/** Lines that a person reads around the one that matters most, and how many of them come before it. */
const AROUND_LINES = 8;
const LINES_BEFORE = 3;

/** The read that a person goes on with: after a failure, of the lines around the one that matters most. */
async function readAfter(
  { store, entry }: StoredOutput,
  { exit_code: exitCode }: ShownEnd,
): Promise<NextCall> {
  const fd = formatFd(entry.id);
  const whole: NextCall = { command: "read", args: { fd } };
  if (exitCode === 0 || entry.lineCount <= AROUND_LINES) return whole;
  const { failuresIn } = await import("./fd_findings.ts");
  const { decisive } = failuresIn(store, entry, 1);
  if (decisive === undefined) return whole;
  const start = Math.max(1, decisive - LINES_BEFORE);
  const count = Math.min(AROUND_LINES, entry.lineCount - start + 1);
  return { command: "read", args: { fd, mode: "line", start, count } };
}

/** The sentence for a person about a run after another of the same command. */
async function changeRemarks({ store, entry }: StoredOutput): Promise<string[]> {
  if (entry.before === undefined) return [];
  const { changeSince, changeText } = await import("./run_before.ts");
  const change = await changeSince(store, entry, Date.now());
  return change === undefined ? [] : [`${changeText(change)}.`];
}

/** A line for stderr, the same in every format: stdout has the output itself. */
function textLine(sentence: string): Answer {
  return textAnswer(`fdtool: ${sentence}\n`);
}

/** Binds the requested name to stored output, which has another id from now on if its store is shared. */
export async function nameStored(
  { store, entry }: StoredOutput,
  name: string | undefined,
): Promise<SharedEntry & { failures: FdFailure[] }> {
  const { entry: named, remarks } = await shareStored(store, entry);
  if (name === undefined) return { entry: named, remarks, failures: [] };
  const bound = await bindRequestedName({ store, entry: named }, name);
  return { entry: named, remarks: [...bound.remarks, ...remarks], failures: bound.failures };
}

function withoutPreview(options: CaptureOptions): CaptureOptions {
  return { ...options, preview: "none" };
}

async function isShownBesideStderr(stream: "stdout" | "stderr"): Promise<boolean> {
  return await isTerminal(STDERR) && (stream === "stderr" || await isTerminal(STDOUT));
}

function passedSentence({ missingBytes, isReaderOpen }: OutputResult & { kind: "failed" }): string {
  if (!isReaderOpen) return "The output was passed through until its reader closed.";
  return missingBytes === 0
    ? "All of the output was passed through."
    : `The output was passed through without ${missingBytes} bytes that were no longer in memory.`;
}

async function partialResult(
  result: OutputResult & { kind: "failed" },
  store: Store,
  { entry, remarks: named }: SharedEntry,
  options: CaptureOptions,
): Promise<Answer> {
  const atByte = entry.gap?.atByte ?? entry.byteCount;
  const tailBytes = entry.byteCount - atByte;
  const end = tailBytes === 0 ? "" : ` and the last ${tailBytes} that could be stored`;
  const stored = `Storing failed: ${formatFd(entry.id)} has the first ${atByte} bytes${end}.`;
  const remarks = [`${stored} ${passedSentence(result)}`, ...named];
  return (await storedResult({ store, entry }, { options: withoutPreview(options), remarks })).answer;
}

export async function bindRequestedName(
  { store, entry }: Readonly<Pick<StoredOutput, "store" | "entry">>,
  name: string,
): Promise<{ remarks: string[]; failures: FdFailure[] }> {
  try {
    const before = await bindForAll(store, name, entry.id);
    const was = before === undefined ? "" : ` (was ${formatFd(before)})`;
    return { remarks: [`Named ref:${name}${was}.`], failures: [] };
  } catch (thrown) {
    return { remarks: [], failures: [failureIn(thrown)] };
  }
}
