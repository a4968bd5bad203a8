/**
 * Answers and failures as text and as values, for doors that carry them inside of a message. What a message carries is
 * held in memory, so an answer is bounded first (`bounded_call.ts`).
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Answer } from "../answers.ts";
import { dressedFailure } from "../render/failure_dress.ts";
import { type FailedCall, failureText } from "../render/failure_text.ts";
import type { FailureText } from "../render/failure_words.ts";
import { jsonOf } from "../render/json.ts";
import { xmlOf } from "../render/xml.ts";
import { failureOf } from "../thrown_failure.ts";

/** An answer, or a failure, in the two dresses. */
export interface DressedAnswer {
  /** For models. */
  xml: string;
  /** For programs. */
  json: Record<string, unknown>;
}

/** `answer` in both dresses. */
export function dressedAnswer(answer: Exclude<Answer, { type: "pass_through" }>): DressedAnswer {
  return { xml: textOf(xmlOf(answer)), json: JSON.parse(textOf(jsonOf(answer))) };
}

/** What went wrong, in both dresses, and as it was told. */
export function dressedThrown(thrown: unknown, call: FailedCall): DressedAnswer & { told: FailureText } {
  const told = failureText(failureOf(thrown), call);
  return { xml: dressedFailure(told, "xml"), json: JSON.parse(dressedFailure(told, "json")), told };
}

function textOf(chunks: Iterable<Uint8Array>): string {
  const kept: Uint8Array[] = [];
  // A chunk's memory may be used again for the next one.
  for (const chunk of chunks) kept.push(Buffer.from(chunk));
  return Buffer.concat(kept).toString("utf8");
}
