/**
 * Interprets an answer by its question's type: an object written as a string, a word for true or false, null for a
 * member that is missing (some providers' schemas have no optional members).
 */

import type { Store } from "../../fd/mod.ts";
import type { AnswerRequest } from "../calls/requests/inquiry_requests.ts";
import { refuse } from "../calls/terms/write_failure.ts";
import { findOpenInquiry } from "../writing/inquiries/inquiries.ts";
import { isJsonObject } from "../calls/requests/json_object.ts";
import { booleanOf, shownValue } from "../calls/requests/lenient_arguments.ts";
import { understandJson } from "../calls/requests/lenient_json.ts";

/**
 * Returns the answer as the question accepts it and a note on how it was read. An ambiguous answer is returned
 * unchanged.
 */
export function understandAnswer(
  { inquiry_id, answer: given, ...request }: AnswerRequest,
  store: Store,
): { answer: unknown; notes: string[] } {
  const names = (["overwrite", "content", "content_fd"] as const).filter((name) =>
    request[name] !== undefined
  );
  if (names.length > 0) {
    const form = isJsonObject(given) ? given : typeof given === "boolean" ? { overwrite: given } : {};
    const twice = names.find((name) => name in form);
    if (twice !== undefined) {
      const faults = [{ at: `answer.${twice}`, problem: "is given twice, in the answer and beside it" }];
      return refuse({ kind: "invalid_answer", inquiry: inquiry_id, faults });
    }
    const answer = { ...form, ...Object.fromEntries(names.map((name) => [name, request[name]])) };
    return { answer, notes: names.map((name) => `${name} was read as answer.${name}`) };
  }
  const answer = given;
  const { answer_type: wanted } = findOpenInquiry(store, inquiry_id).asked.question;
  if (wanted === "Text") return { answer, notes: [] };
  if (wanted === "Boolean") {
    const understood = booleanOf(answer);
    if (understood === undefined) return { answer, notes: [] };
    return { answer: understood, notes: [`answer: ${shownValue(answer)} was read as ${understood}`] };
  }
  if ("Select" in wanted) return { answer, notes: [] };
  if (typeof answer === "string" && /^\s*(?:\{|```)/.test(answer)) {
    const { value, notes } = understandJson(answer, "the answer");
    return {
      answer: withoutNulls(value),
      notes: ["answer: a JSON string was read as the JSON it contains", ...notes],
    };
  }
  if (typeof answer === "string" && JSON.stringify(wanted.Schema.schema["required"]) === '["content"]') {
    return { answer: { content: answer }, notes: ["answer: text was read as the content"] };
  }
  return { answer: withoutNulls(answer), notes: [] };
}

function withoutNulls(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return answer;
  return Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== null));
}
