/**
 * `answer`: answers a question that a write asked (contract, Inquiries).
 */

import { refuseUnusable, understandJson } from "../requests/lenient_json.ts";
import { defineOperation } from "../arguments/define_operation.ts";
import { requestFrom } from "../arguments/field_options.ts";
import { ANSWER_FIELDS } from "../requests/inquiry_requests.ts";
import { type CommandSpec, type OptionsOf, optionsOf } from "../terms/command.ts";
import { UNREPORTED_EXIT } from "../answering/reported_changes.ts";
import { DRY_RUN_FIELD } from "../requests/shared_fields.ts";
import { readStdinText } from "../streams/read_stdin_text.ts";
import { failUsage } from "../requests/usage_failure.ts";
import {
  askedOutcome,
  contentOption,
  namedContent,
  questionOptions,
  schemaOutcome,
  settle,
} from "../writing/write_options.ts";
import { answerInquiry } from "../writing/answer_inquiry.ts";
import { findOpenInquiry, formatInquiry, needsInputOf } from "../writing/inquiries/inquiries.ts";
import { readJson } from "../requests/truncated_json.ts";
import { type WriteContext, writeContextOf } from "../writing/commit/write_context.ts";
import { refuse } from "../terms/write_failure.ts";

const OPTIONS = {
  ...contentOption("content-from"),
  answer: { kind: "text", value: "ANSWER", help: "the answer: true, false, one of the options, or JSON" },
  overwrite: { kind: "flag", help: "overwrite the existing file (--no-overwrite keeps it)" },
  ask: questionOptions.ask,
  "inquiry-schema": questionOptions["inquiry-schema"],
  "dry-run": { kind: "flag", help: DRY_RUN_FIELD.option.help },
} as const satisfies CommandSpec["options"];

export const command = defineOperation({
  fields: ANSWER_FIELDS,
  usage: "INQ [options] <ANSWER.json",
  options: OPTIONS,
  example: "fdtool answer inq:4 --content draft.rs",
  exitCodes: [
    [0, "answered; the write is done"],
    [1, "refused or failed"],
    [2, "usage error"],
    [3, "input needed: fdtool asked again, or asked another question"],
    UNREPORTED_EXIT,
  ],
  async answer(request, host) {
    const { understandAnswer } = await import("../agents/lenient_answer.ts");
    const context = writeContextOf(host, host.answers);
    const { answer, notes } = understandAnswer(request, context.store);
    return { ...askedOutcome(await answerInquiry({ ...request, answer }, context)), notes };
  },
  async run(call, host) {
    const context = writeContextOf(host);
    const request = requestFrom(ANSWER_FIELDS, call);
    const options = optionsOf(OPTIONS, call);
    const inquiry = findOpenInquiry(context.store, request.inquiry_id);
    const inquiry_id = formatInquiry(inquiry.id);
    if (options["inquiry-schema"] === true) return schemaOutcome(context.store, inquiry_id);
    const { tool, question } = inquiry.asked;
    if (options.ask === true) {
      return await settle(askedOutcome(needsInputOf({ id: inquiry.id, tool, question })), call, host);
    }
    const dryRun = options["dry-run"] === true;
    const answer = answerOf(call.command, options, context, inquiry_id);
    return await settle(
      askedOutcome(await answerInquiry({ inquiry_id, answer }, context, dryRun)),
      call,
      host,
    );
  },
});

/** The answer that the options give, or the JSON on stdin: the answer alone, or with its inquiry_id. */
function answerOf(
  name: string,
  options: OptionsOf<typeof OPTIONS>,
  context: WriteContext,
  inquiryId: string,
): unknown {
  const { content: from, answer: said } = options;
  if (said !== undefined) {
    if (from !== undefined || options["overwrite"] !== undefined) {
      const second = from === undefined ? "--overwrite" : "--content";
      failUsage({ kind: "conflict", command: name, first: "--answer", second, wanted: "one answer" });
    }
    return valueOf(said);
  }
  const overwrite = options["overwrite"];
  const stated = overwrite === undefined ? {} : { overwrite };
  if (from !== undefined) {
    return { ...stated, content: namedContent(name, from, context) };
  }
  if (overwrite === false) return stated;
  if (overwrite === true) {
    // Overwriting without content empties the file, so that must be stated.
    const wanted = '--content FILE|-|FD too (or, for an empty file, the answer {"overwrite":true})';
    failUsage({ kind: "bad_value", command: name, option: "--overwrite", got: "true", wanted });
  }
  const text = readStdinText("the answer");
  const reading = readJson(text);
  // An answer may be a JSON string (a choice): only invalid JSON is read leniently.
  const value = reading.kind === "value" ? reading.value : understandJson(text, "the answer").value;
  refuseUnusable(value, "the answer");
  if (!isWrapped(value)) return value;
  const { inquiry_id: named, answer } = value;
  if (named !== inquiryId) {
    const problem = `is ${JSON.stringify(named)}, but the question is ${inquiryId}`;
    refuse({ kind: "invalid_answer", inquiry: inquiryId, faults: [{ at: "inquiry_id", problem }] });
  }
  return answer;
}

/** The value of `--answer`: JSON, or else the text itself, which may be one of the options. */
function valueOf(said: string): unknown {
  const reading = readJson(said);
  return reading.kind === "value" ? reading.value : said;
}

function isWrapped(value: unknown): value is { inquiry_id: unknown; answer: unknown } {
  return typeof value === "object" && value !== null && "inquiry_id" in value && "answer" in value;
}
