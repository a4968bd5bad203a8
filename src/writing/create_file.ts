/**
 * `create`: the call carries no content (contract, Inquiries). It asks for the content, or, if the file exists,
 * whether to overwrite it. The answer carries the content, which is never echoed.
 */

import { counted } from "../answers/parts/grouped_digits.ts";
import { bytesSource, findFd, formatFd, gatherBytes } from "../../fd/mod.ts";
import type { NeedsInput, WriteResult } from "../calls/terms/answers.ts";
import { isJsonObject } from "../calls/requests/json_object.ts";
import type { CreateRequest } from "../calls/requests/inquiry_requests.ts";
import { answerFaults } from "./inquiries/answer_faults.ts";
import { checkNewText } from "./checks/new_text.ts";
import { type GivenContent, handleContent, missingNotes, textBytes } from "./commit/given_content.ts";
import { ask, type Asking, CONTENT_QUESTION, OVERWRITE_QUESTION } from "./inquiries/inquiries.ts";
import { storeContent } from "./commit/stored_content.ts";
import { type Target, withTarget } from "./commit/inspect_target.ts";
import { shortCall } from "../calls/terms/next_call.ts";
import { changeSentence, notWritten, writeAndReport } from "./commit/report_write.ts";
import { givenAnswer, type WriteContext } from "./commit/write_context.ts";
import { refuse } from "../calls/terms/write_failure.ts";

/** The content of an answer: text, or bytes from an fd or a file. */
type AnsweredContent = string | GivenContent;

const NEW_FILE_SCHEMA = {
  type: "object",
  properties: { content: { type: "string", description: "The content of the new file." } },
  required: ["content"],
  additionalProperties: false,
} as const;

const EXISTING_FILE_SCHEMA = {
  type: "object",
  properties: {
    overwrite: {
      type: "boolean",
      description:
        "true replaces the file; false leaves it (for a partial change use edit_file: it is cheaper)",
    },
    content: {
      type: "string",
      description: "The whole new content. Required when overwrite is true. Ignored when overwrite is false.",
    },
  },
  required: ["overwrite"],
  additionalProperties: false,
} as const;

/** Creates or overwrites a file by the answers in the context, or asks. */
export async function createFile(
  request: CreateRequest,
  context: WriteContext,
): Promise<WriteResult | NeedsInput> {
  const retryWith = (path: string) => shortCall({ command: "create", args: { ...request, path } });
  return await withTarget(request.path, context, async (target) => {
    const given = await withStoredContent(givenAnswers(request, context, target), context);
    const answer = given === undefined ? undefined : readAnswer(given, target);
    if (answer === undefined) return askAbout(request, context, target);
    if (target.file !== undefined && answer.overwrite === false) {
      return notWritten(target, "use edit_file instead");
    }
    const { allow_placeholders: allowPlaceholders } = request;
    const content = contentOf(answer.content);
    const emptied = target.file !== undefined && answer.content === undefined;
    return await writeAndReport(context, {
      changes: [{ target, content }],
      step: { tool: "create_file" },
      dryRun: request.dry_run === true,
      sentence: (_change, counts, file) => {
        if (!emptied) return changeSentence("Overwrote", counts, file);
        const backup = file.backup_fd === undefined ? "" : ` The old content is in ${file.backup_fd}.`;
        return `EMPTIED ${file.path}: the answer has overwrite=true and no content.${backup}`;
      },
      notes: [
        ...checkNewText(target, { what: "the content", content, allowPlaceholders }, false),
        ...missingNotes([content]),
      ],
    });
  }, { retryWith });
}

interface FileAnswer {
  overwrite?: boolean | undefined;
  content?: AnsweredContent | undefined;
}

/**
 * Merges the answers of the call: an object with the content, and, if the file exists, whether to overwrite it.
 * Content may be a plain string, and `overwrite_file` an answer of its own. Returns undefined if something must still
 * be asked: a file is never emptied because only `overwrite_file` was answered. A yes without content means the
 * content that came with the call.
 */
function givenAnswers(request: CreateRequest, context: WriteContext, target: Target): unknown {
  const { content: text, content_fd } = request;
  const sent = content_fd !== undefined ? { content_fd } : text !== undefined ? { content: text } : undefined;
  const content = givenAnswer(context, CONTENT_QUESTION, [target]);
  const overwrite = givenAnswer(context, OVERWRITE_QUESTION, [target]);
  // A text is the content, unless the call had some: then it may name its fd.
  const named = (request.content ?? request.content_fd) === undefined ? null : ONLY_FD.exec(String(content));
  const form = named !== null
    ? { content_fd: named[1] }
    : typeof content === "string"
    ? { content }
    : content;
  if (overwrite === undefined || target.file === undefined) {
    const isBareYes = isJsonObject(form) && form["overwrite"] === true && Object.keys(form).length === 1;
    return isBareYes ? { ...form, ...sent } : form;
  }
  const meant = form ?? sent;
  if (overwrite === true && meant === undefined) return undefined;
  return typeof meant === "object" ? { overwrite, ...meant } : { overwrite };
}

const ONLY_FD = /^\s*(?:\{\s*"content_fd"\s*:\s*")?(fd:\d+)(?:"\s*\})?\s*$/;

/** The answer with the content of the fd that it names. */
export async function withStoredContent(answer: unknown, { store }: WriteContext): Promise<unknown> {
  if (!isJsonObject(answer) || typeof answer["content_fd"] !== "string") return answer;
  const { content_fd: handle, ...rest } = answer;
  if ("content" in rest) refuse({ kind: "invalid_answer", inquiry: CONTENT_QUESTION, faults: [BOTH] });
  return { ...rest, content: await handleContent(store, handle) };
}

const BOTH = { at: "answer.content_fd", problem: "expected either content or content_fd" };

/** Validates an answer. Returns undefined if it is to the other question, so that the right one must be asked. */
function readAnswer(given: unknown, target: Target): FileAnswer | undefined {
  const asksOverwrite = target.file !== undefined;
  if (typeof given === "object" && given !== null && asksOverwrite !== ("overwrite" in given)) {
    // The file was created or removed since the answer was given.
    const other = answerFaults(forSchema(given), { Schema: { schema: schemaFor(!asksOverwrite) } });
    if (other.length === 0) return undefined;
  }
  const faults = answerFaults(forSchema(given), { Schema: { schema: schemaFor(asksOverwrite) } });
  if (faults.length > 0) refuse({ kind: "invalid_answer", inquiry: CONTENT_QUESTION, faults });
  return given as FileAnswer;
}

/** Replaces content by handle with text, so that the schema accepts it. */
export function forSchema(given: unknown): unknown {
  if (typeof given !== "object" || given === null || !("content" in given)) return given;
  return isByteSource(given.content) ? { ...given, content: "" } : given;
}

/** Only content by handle has a function: answers come as JSON. */
function isByteSource(content: unknown): boolean {
  return typeof content === "object" && content !== null && "chunks" in content &&
    typeof content.chunks === "function";
}

function schemaFor(asksOverwrite: boolean): typeof NEW_FILE_SCHEMA | typeof EXISTING_FILE_SCHEMA {
  return asksOverwrite ? EXISTING_FILE_SCHEMA : NEW_FILE_SCHEMA;
}

/** Asks for what is missing: in one form, or, with `plainQuestions`, first whether to overwrite and then for the content. */
function askAbout(
  { content, overwrite: _, content_fd, ...request }: CreateRequest,
  context: WriteContext,
  target: Target,
): NeedsInput {
  const overwrites = givenAnswer(context, OVERWRITE_QUESTION, [target]) === true;
  const isPlain = context.plainQuestions === true || overwrites;
  if (content_fd !== undefined) findFd(context.store, content_fd);
  const question = questionAbout(target, isPlain, overwrites);
  const answered = context.answers[CONTENT_QUESTION];
  const given = content ?? (isJsonObject(answered) ? answered["content"] as AnsweredContent : undefined);
  const fd = given === undefined
    ? content_fd
    : formatFd(storeContent(context.store, gatherBytes(contentOf(given).chunks()), "answer").id);
  const form = question.answer_type !== "Text" && target.file !== undefined ? '"overwrite":true,' : "";
  const hint = question.answer_type === "Boolean"
    ? ""
    : ` Answer {${form}"content_fd":"${fd}"} instead of sending it again.`;
  const preAmble = fd &&
    `Your content is stored as ${fd}, and not written: it belongs in the answer, which is given ` +
      `when it is known what would be replaced.${hint}`;
  return ask(context, {
    tool: "create_file",
    question,
    preAmble,
    request: { ...request, content_fd: fd },
    carriesContent: false,
    targets: [target],
  });
}

function questionAbout({ path, file }: Target, isPlain: boolean, overwrites: boolean): Asking["question"] {
  const exists = `File '${path}' already exists (${counted(file?.stamp.byteCount ?? 0, "byte")}).`;
  if (isPlain && file !== undefined && !overwrites) {
    const text = `${exists} Overwrite it? To change only part of it, use \`edit_file\`.`;
    return { id: OVERWRITE_QUESTION, text, answer_type: "Boolean", default: false };
  }
  const text = file === undefined
    ? `File '${path}' does not exist and will be created. Provide the file content.`
    : isPlain
    ? `Provide the full new content of '${path}'.`
    : `${exists} To overwrite it, set \`overwrite\` to true and provide the full new content. ` +
      "To change only part of it, set `overwrite` to false and use `edit_file`: cheaper.";
  const answer_type = isPlain ? "Text" : { Schema: { schema: schemaFor(file !== undefined) } } as const;
  return { id: CONTENT_QUESTION, text, answer_type, default: null };
}

function contentOf(content: AnsweredContent | undefined): GivenContent {
  if (content === undefined) return bytesSource(new Uint8Array(0));
  return typeof content === "string" ? bytesSource(textBytes(content, "content")) : content;
}
