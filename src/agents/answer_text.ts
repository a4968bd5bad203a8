/**
 * Renders answers and failures for protocols that carry them inside a message, which is held in memory.
 * `bounded_call.ts` bounds an answer before.
 */

import { gatherBytes } from "../../fd/mod.ts";
import { utf8Text } from "../../fd/system.ts";
import { parameterText } from "../answers/parts/next_command.ts";
import type { FramedAnswer } from "../calls/terms/answers.ts";
import type { CallWriter } from "../calls/terms/next_call.ts";
import { dressOf } from "../answers/render/dress.ts";
import { dressedFailure } from "../answers/render/failure_dress.ts";
import { failureOf, failureText } from "../answers/render/failure_text.ts";
import type { FailureText } from "../calls/terms/failure_words.ts";
import { jsonOf } from "../answers/render/json.ts";
import { xmlOf } from "../answers/render/xml.ts";

export interface DressedAnswer {
  xml: string;
  json: Record<string, unknown>;
}

/** Renders `answer`; `writeCall` writes its next call. */
export function dressedAnswer(answer: FramedAnswer, writeCall: CallWriter): DressedAnswer {
  const json = JSON.parse(textOf(jsonOf(answer, writeCall)));
  return { xml: textOf(xmlOf(answer, dressOf(writeCall))), json };
}

/** Renders a failure of `command`, and returns its text too. */
export function dressedThrown(
  thrown: unknown,
  command: string | undefined,
  writeCall: CallWriter,
): DressedAnswer & { failure: FailureText } {
  const failure = failureText(failureOf(thrown), command, parameterText);
  const dress = dressOf(writeCall);
  const json = JSON.parse(dressedFailure(failure, "json", dress));
  return { xml: dressedFailure(failure, "xml", dress), json, failure };
}

function textOf(chunks: Iterable<Uint8Array>): string {
  return utf8Text(gatherBytes(chunks));
}
