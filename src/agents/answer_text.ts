/**
 * Answers and failures as text and as values, for doors that carry them inside of a message. What a message carries is
 * held in memory, so an answer is bounded first (`bounded_call.ts`).
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { parameterText } from "../answering/next_command.ts";
import type { FramedAnswer } from "../terms/answers.ts";
import type { CallWriter } from "../terms/next_call.ts";
import { dressOf } from "../render/dress.ts";
import { dressedFailure } from "../render/failure_dress.ts";
import { failureText } from "../render/failure_text.ts";
import type { FailureText } from "../render/failure_words.ts";
import { jsonOf } from "../render/json.ts";
import { xmlOf } from "../render/xml.ts";
import { failureOf } from "../render/thrown_failure.ts";

/** An answer, or a failure, in the two dresses. */
export interface DressedAnswer {
  /** For models. */
  xml: string;
  /** For programs. */
  json: Record<string, unknown>;
}

/** `answer` in both dresses; `writeCall` writes its next call. */
export function dressedAnswer(answer: FramedAnswer, writeCall: CallWriter): DressedAnswer {
  return {
    xml: textOf(xmlOf(answer, dressOf(writeCall))),
    json: JSON.parse(textOf(jsonOf(answer, writeCall))),
  };
}

/** Renders a failure of `command` as XML and JSON, and returns its text too. */
export function dressedThrown(
  thrown: unknown,
  command: string | undefined,
  writeCall: CallWriter,
): DressedAnswer & { told: FailureText } {
  const told = failureText(failureOf(thrown), command, parameterText);
  const dress = dressOf(writeCall);
  return {
    xml: dressedFailure(told, "xml", dress),
    json: JSON.parse(dressedFailure(told, "json", dress)),
    told,
  };
}

function textOf(chunks: Iterable<Uint8Array>): string {
  const kept: Uint8Array[] = [];
  // A chunk's memory may be used again for the next one.
  for (const chunk of chunks) kept.push(Buffer.from(chunk));
  return Buffer.concat(kept).toString("utf8");
}
