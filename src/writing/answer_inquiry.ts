/**
 * `answer`: repeats the call that asked, with the answer (contract, Inquiries). An invalid answer leaves the question
 * open; one about files that changed since is asked again; a question is answered once.
 */

import { isAbsolute, sep } from "node:path";
import { failureIn } from "../../fd/system.ts";
import type { NeedsInput, PlanCheck, WriteResult } from "../calls/terms/answers.ts";
import { EDIT_REQUEST } from "../calls/requests/edit_request.ts";
import { storedRequest } from "../calls/requests/request_schema.ts";
import { type AnswerRequest, CREATE_REQUEST } from "../calls/requests/inquiry_requests.ts";
import { answerFaults } from "./inquiries/answer_faults.ts";
import { createFile, forSchema, withStoredContent } from "./create_file.ts";
import { editFile } from "./edit_file.ts";
import {
  closeInquiry,
  formatInquiry,
  inquiredRequest,
  type Inquiry,
  withOpenInquiry,
} from "./inquiries/inquiries.ts";
import { resolveTarget } from "./commit/target_path.ts";
import { codeNote } from "./commit/commit_changes.ts";
import type { WriteContext } from "./commit/write_context.ts";
import { refuse } from "../calls/terms/write_failure.ts";
import { writePlan } from "./write_plan.ts";

/** The outcome of a call that can ask. */
export type InquiredOutcome = WriteResult | PlanCheck | NeedsInput;

/** Answers an open question. `dryRun` shows what the answer would do, and leaves the question open. */
export async function answerInquiry(
  request: AnswerRequest,
  context: WriteContext,
  dryRun = false,
): Promise<InquiredOutcome> {
  return await withOpenInquiry(
    context.store,
    request.inquiry_id,
    "answer",
    (inquiry) => answerLocked(inquiry, request, context, dryRun),
  );
}

async function answerLocked(
  inquiry: Inquiry,
  { answer: given, allow_placeholders }: AnswerRequest,
  context: WriteContext,
  dryRun: boolean,
): Promise<InquiredOutcome> {
  const { id, asked } = inquiry;
  const { store } = context;
  const answer = await withStoredContent(given, context);
  const handle = formatInquiry(id);
  const faults = answerFaults(checkedForm(answer, asked.question), asked.question.answer_type);
  if (faults.length > 0) return refuse({ kind: "invalid_answer", inquiry: handle, faults });
  // The caller that answers may be confined further than the one that asked.
  for (const file of asked.files) resolveTarget(file.path, context);
  const request = seenFrom(context.cwd, asked.cwd, inquiredRequest(store, inquiry));
  const added = {
    ...(dryRun ? { dry_run: true } : {}),
    ...(allow_placeholders === true ? { allow_placeholders } : {}),
  };
  const outcome = await repeatCall(asked.tool, request, added, {
    ...context,
    cwd: asked.cwd,
    root: asked.root,
    answers: { ...asked.answers, [asked.question.id]: answer },
    askedAbout: new Map(asked.files.map((file) => [file.path, file.sha256])),
    preAmble: `The file changed since ${handle} was asked.`,
  });
  if (dryRun) return outcome;
  if (outcome.type === "needs_input") {
    // It may be the same question, asked again.
    const isFurther = outcome.question.id !== asked.question.id;
    closeInquiry(store, id, isFurther ? "answered" : "replaced", outcome.inquiry_id);
    return outcome;
  }
  try {
    closeInquiry(store, id, "answered", outcome.type === "write_result" ? outcome.tx : undefined);
    return outcome;
  } catch (thrown) {
    // The files are written, so this is a note, not a failure.
    const note = `${handle} was answered, but recording that failed${codeNote(failureIn(thrown))}. ` +
      `If \`fdtool inquiries\` still lists it, run \`fdtool cancel ${handle}\`.`;
    return { ...outcome, message: `${outcome.message} ${note}` };
  }
}

/** The value to validate. Content asked for as `Text` may also come as an object with content. */
function checkedForm(answer: unknown, { answer_type: wanted }: Inquiry["asked"]["question"]): unknown {
  const form = forSchema(answer);
  const isForm = typeof form === "object" && form !== null && "content" in form;
  return wanted === "Text" && isForm && Object.keys(form).every((key) => key === "content")
    ? form.content
    : form;
}

/** The request made in the directory `askedIn`, with paths that are valid in, and shown from, the directory `here`. */
function seenFrom(here: string, askedIn: string, request: unknown): unknown {
  if (here === askedIn || typeof request !== "object" || request === null) return request;
  const fromRoot = (path: unknown) =>
    typeof path === "string" && path !== "" && !isAbsolute(path) ? `${askedIn}${sep}${path}` : path;
  return Object.fromEntries(
    Object.entries(request).map(([name, value]: [string, unknown]) => {
      if (name === "path" || name === "target_file") return [name, fromRoot(value)];
      if (name === "plans" && Array.isArray(value)) {
        return [name, value.map((plan: unknown) => seenFrom(here, askedIn, plan))];
      }
      return [name, value];
    }),
  );
}

function repeatCall(
  tool: string,
  request: unknown,
  added: object,
  context: WriteContext,
): Promise<InquiredOutcome> {
  switch (tool) {
    case "edit_file":
      return editFile({ ...storedRequest(EDIT_REQUEST.fields, request), ...added }, context);
    case "write_plan":
      return writePlan({ ...Object(request), ...added }, context);
    default:
      return createFile({ ...storedRequest(CREATE_REQUEST.fields, request), ...added }, context);
  }
}
