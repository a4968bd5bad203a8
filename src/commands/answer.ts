/**
 * `answer`: answers a question that a write asked (contract, Inquiries).
 */

import { membersIn } from "../calls/requests/json_object.ts";
import { readJson, refuseUnusable, understandJson } from "../calls/requests/lenient_json.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { ANSWER_REQUEST } from "../calls/requests/inquiry_requests.ts";
import {
  flagOption,
  type RequestFields,
  type RequestOf,
  textOption,
} from "../calls/requests/request_fields.ts";
import { DRY_RUN_FIELD } from "../calls/requests/write_fields.ts";
import { understandAnswer } from "../agents/lenient_answer.ts";
import { readStdinText } from "../calls/streams/read_stdin_bytes.ts";
import { failConflict, failValue } from "../calls/requests/usage_failure.ts";
import {
  askedOutcome,
  CONTENT_OPTION,
  namedContent,
  QUESTION_FIELDS,
  schemaOutcome,
  settle,
} from "../writing/write_options.ts";
import { answerInquiry } from "../writing/answer_inquiry.ts";
import { findOpenInquiry, formatInquiry, needsInputOf } from "../writing/inquiries/inquiries.ts";
import { type WriteContext, writeContextOf } from "../writing/commit/write_context.ts";
import { refuse } from "../calls/terms/write_failure.ts";

const LINE_FIELDS = {
  inquiry_id: ANSWER_REQUEST.fields.inquiry_id,
  content: { kind: "fd", option: { ...CONTENT_OPTION, aliases: ["content-from", "from"] } },
  // Either a value as JSON or a text.
  answer: textOption("ANSWER", "the answer: true, false, one of the options, or JSON"),
  overwrite: flagOption("overwrite the existing file (--no-overwrite keeps it)"),
  ask: QUESTION_FIELDS.ask,
  inquiry_schema: QUESTION_FIELDS.inquiry_schema,
  allow_placeholders: ANSWER_REQUEST.fields.allow_placeholders,
  dry_run: DRY_RUN_FIELD,
} as const satisfies RequestFields;

export const command = defineOperation({
  ...ANSWER_REQUEST,
  usage: "INQ [options] <ANSWER.json",
  line: LINE_FIELDS,
  example: "fdtool answer inq:4 --content draft.rs",
  exitCodes: {
    0: "answered; the write is done",
    1: "refused or failed",
    3: "input needed: fdtool asked again, or asked another question",
  },
  reportsChange: true,
  async answer(request, host) {
    const context = writeContextOf(host, host.answers);
    const { answer, notes } = understandAnswer(request, context.store);
    return { ...askedOutcome(await answerInquiry({ ...request, answer }, context)), notes };
  },
  async run(given, host, call) {
    const context = writeContextOf(host);
    const inquiry = findOpenInquiry(context.store, given.inquiry_id);
    const inquiry_id = formatInquiry(inquiry.id);
    if (given.inquiry_schema === true) return schemaOutcome(context.store, inquiry_id);
    const { allow_placeholders } = given;
    const outcome = given.ask === true
      ? needsInputOf({ ...inquiry.asked, id: inquiry.id })
      : await answerInquiry(
        { inquiry_id, answer: await answerOf(call.command, given, context, inquiry_id), allow_placeholders },
        context,
        given.dry_run === true,
      );
    return await settle(askedOutcome(outcome), call, host);
  },
});

/** The answer that the options give, or the JSON on stdin: the answer alone, or with its inquiry_id. */
async function answerOf(
  name: string,
  { content: from, answer: said, overwrite }: RequestOf<typeof LINE_FIELDS>,
  context: WriteContext,
  inquiryId: string,
): Promise<unknown> {
  if (said !== undefined) {
    if (from !== undefined || overwrite !== undefined) {
      failConflict(name, "--answer", from === undefined ? "--overwrite" : "--content", "one answer");
    }
    // JSON, or else the text itself, which may be one of the options.
    const reading = readJson(said);
    return reading.kind === "value" ? reading.value : said;
  }
  const stated = overwrite === undefined ? {} : { overwrite };
  if (from !== undefined) return { ...stated, content: await namedContent(name, from, context) };
  if (overwrite === false) return stated;
  if (overwrite === true) {
    // Overwriting without content empties the file, so that must be stated.
    const wanted = '--content FILE|-|FD too (or, for an empty file, the answer {"overwrite":true})';
    failValue(name, "--overwrite", "true", wanted);
  }
  const text = readStdinText("the answer");
  const reading = readJson(text);
  // An answer may be a JSON string (a choice): only invalid JSON is read leniently.
  const value = reading.kind === "value" ? reading.value : understandJson(text, "the answer").value;
  refuseUnusable(value, "the answer");
  const { inquiry_id: named, answer } = membersIn(value);
  if (named === undefined || answer === undefined) return value;
  if (named !== inquiryId) {
    const problem = `is ${JSON.stringify(named)}, but the question is ${inquiryId}`;
    refuse({ kind: "invalid_answer", inquiry: inquiryId, faults: [{ at: "inquiry_id", problem }] });
  }
  return answer;
}
