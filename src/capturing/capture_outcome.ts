/**
 * Turns what became of streams of output into what their caller is told.
 *
 * @module
 */

import { bindName, FdError, type FdFailure, formatFd } from "../../fd/mod.ts";
import type { Answer } from "../terms/answers.ts";
import type { Outcome } from "../terms/command.ts";
import type { CaptureWishes } from "./capture_options.ts";
import { isSeenBeside } from "./hand_on.ts";
import type { Kept, StoredOutput } from "./keep_output.ts";
import { passThrough } from "./pass_through.ts";
import { storedResult } from "./stored_result.ts";

/** One stream of output that has ended. */
export interface EndedStream {
  kept: Kept;
  wishes: CaptureWishes;
  /** Where the stream goes when it is small. */
  goesTo: "stdout" | "stderr";
  /** What else the message is to say, in sentences. */
  remarks: readonly string[];
}

/**
 * What to tell of `streams`, in their order, after binding the names that were wished for. Where stdout carried the
 * bytes themselves (`--tee`, a failed store), results go to stderr.
 */
export async function captureOutcome(
  streams: readonly EndedStream[],
): Promise<Omit<Outcome, "exitCode"> & { failures: readonly FdFailure[] }> {
  const answers: Answer[] = [];
  const asides: Answer[] = [];
  const failures: FdFailure[] = [];
  for (const { kept, wishes, goesTo, remarks } of streams) {
    switch (kept.kind) {
      case "small":
        if (!wishes.tee) answers.push(passThrough(kept.bytes, goesTo));
        break;
      case "stored": {
        const naming = bindWishedName(kept, wishes.name);
        const isSeen = wishes.tee && wishes.isPreviewAsked !== true && await isSeenBeside(goesTo);
        // What the terminal has just shown is not shown there again.
        const shown: CaptureWishes = isSeen ? { ...wishes, preview: "none" } : wishes;
        const news = { wishes: shown, remarks: [...remarks, ...naming.remarks] };
        const told = storedResult(kept.store, kept.entry, news, kept.bytes);
        (wishes.tee ? asides : answers).push(told.answer);
        failures.push(...naming.failures, ...told.failures);
        break;
      }
      case "failed":
        failures.push(...kept.failures);
        if (kept.partial !== undefined && kept.partial.entry.byteCount > 0) {
          asides.push(partialResult({ ...kept, partial: kept.partial }, wishes));
        }
    }
  }
  const [answer, ...furtherAnswers] = answers;
  return { answer, furtherAnswers, asides, failures };
}

function partialResult(
  { partial, missingBytes, isTaken }: { partial: StoredOutput; missingBytes: number; isTaken: boolean },
  wishes: CaptureWishes,
): Answer {
  const { store, entry } = partial;
  const atByte = entry.gap?.atByte ?? entry.byteCount;
  const ofTheEnd = entry.byteCount - atByte;
  const end = ofTheEnd === 0 ? "" : ` and the last ${ofTheEnd} that could be stored`;
  const held = `Storing failed: ${formatFd(entry.id)} has the first ${atByte} bytes${end}.`;
  const passed = !isTaken
    ? "The output was passed through until its reader closed."
    : missingBytes === 0
    ? "All of the output was passed through."
    : `The output was passed through without ${missingBytes} bytes that were no longer in memory.`;
  const remarks = [`${held} ${passed}`];
  return storedResult(store, entry, { wishes: { ...wishes, preview: "none" }, remarks }).answer;
}

/** Binds `name` to the fd. What is stored stays stored when that fails. */
export function bindWishedName(
  { store, entry }: Readonly<Pick<StoredOutput, "store" | "entry">>,
  name: string | undefined,
): { remarks: string[]; failures: FdFailure[] } {
  if (name === undefined) return { remarks: [], failures: [] };
  try {
    const before = bindName(store, name, entry.id);
    const was = before === undefined ? "" : ` (was ${formatFd(before)})`;
    return { remarks: [`Named ref:${name}${was}.`], failures: [] };
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return { remarks: [], failures: [thrown.failure] };
  }
}
