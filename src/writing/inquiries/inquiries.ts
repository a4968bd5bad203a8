/**
 * Questions that writes asked, stored under `inq:N` until they are answered or cancelled (contract, Inquiries). The
 * log of a question has its text, its request, and the state of the files; content of the request is in an fd, never
 * in the log.
 */

import * as v from "valibot";
import {
  appendCheckedLine,
  highestLogId,
  holdLocks,
  INQUIRY_SOURCE,
  logPath,
  momentNow,
  readLogLines,
  startLog,
  type Store,
} from "../../../fd/mod.ts";
import { atEnd, fail } from "../../../fd/system.ts";
import type { AnswerType, NeedsInput, Question, WriteResult } from "../../calls/terms/answers.ts";
import type { NextArguments } from "../../calls/terms/next_call.ts";
import { isJsonObject } from "../../calls/requests/json_object.ts";
import type { Target } from "../commit/inspect_target.ts";
import { count, moment, numberIn, validLines } from "../commit/journal.ts";
import { storeContent, storedJson } from "../commit/stored_content.ts";
import { resolveRealPath } from "../commit/resolve_path.ts";
import { isAskedAnew, type WriteContext } from "../commit/write_context.ts";
import { refuse } from "../../calls/terms/write_failure.ts";

const askedLine = v.object({
  event: v.literal("asked"),
  /** Its own number, to detect a log that was moved. */
  number: v.optional(count),
  at: moment,
  tool: v.string(),
  question: v.object({
    id: v.string(),
    text: v.string(),
    pre_amble: v.nullable(v.string()),
    answer_type: v.custom<AnswerType>((value) => value !== undefined),
    default: v.nullable(v.union([v.string(), v.boolean()])),
  }),
  /** The request, or the fd with it. */
  request: v.union([v.object({ fd: count }), v.object({ inline: v.record(v.string(), v.unknown()) })]),
  /** The answers to earlier questions. */
  answers: v.record(v.string(), v.unknown()),
  cwd: v.string(),
  root: v.optional(v.string()),
  /** The files that it is about, with their sha-256 (null: missing). */
  files: v.array(v.object({ path: v.string(), shown: v.string(), sha256: v.nullable(v.string()) })),
});

const closedLine = v.object({
  event: v.literal("closed"),
  at: moment,
  how: v.picklist(["answered", "cancelled", "replaced"]),
  by: v.optional(v.string()),
});

const line = v.variant("event", [askedLine, closedLine]);

/** A question, open or closed. */
export interface Inquiry {
  id: number;
  asked: v.InferOutput<typeof askedLine>;
  closed: v.InferOutput<typeof closedLine> | undefined;
  /** Whether damaged lines of its log may have closed it. */
  isDamaged: boolean;
}

/** The question of an operation. */
export interface Asking {
  tool: string;
  question: Omit<Question, "pre_amble">;
  preAmble?: string | undefined;
  /** The call to repeat with the answer. Has no content unless `carriesContent`. */
  request: Readonly<Record<string, unknown>>;
  /** Store the request in an fd, since it carries content. */
  carriesContent: boolean;
  targets: readonly Target[];
}

/** The question for the conversation's own model, since only that knows the content. */
export const CONTENT_QUESTION = "file_content";

/** Whether to overwrite a file, asked separately from its content, so that a person may decide. */
export const OVERWRITE_QUESTION = "overwrite_file";

export function formatInquiry(id: number): string {
  return `inq:${id}`;
}

/** Stores the question and returns it as an answer. */
export function ask(context: WriteContext, asking: Asking): NeedsInput {
  const { store, cwd, root } = context;
  const { tool, request, carriesContent, targets } = asking;
  const isAnew = isAskedAnew(context, targets);
  const preAmbles = [isAnew ? context.preAmble : undefined, asking.preAmble].filter((each) =>
    each !== undefined
  );
  const preAmble = preAmbles.length === 0 ? null : preAmbles.join(" ");
  const question: Question = { pre_amble: preAmble, ...asking.question };
  const stored = carriesContent
    ? { fd: storeContent(store, new TextEncoder().encode(JSON.stringify(request)), INQUIRY_SOURCE).id }
    : { inline: request };
  const id = startLog(store, "inq", {
    event: "asked",
    at: momentNow(),
    tool,
    question,
    request: stored,
    answers: isAnew ? {} : context.answers,
    cwd,
    root: root === undefined ? undefined : resolveRealPath(root, cwd),
    files: targets.map(({ realPath, path, file }) => ({
      path: realPath,
      shown: path,
      sha256: file?.sha256 ?? null,
    })),
  });
  return needsInputOf({ id, tool, question, request: stored });
}

/** The question as an answer to the caller. */
export function needsInputOf(
  { id, tool, question, request }: Pick<Inquiry["asked"], "tool" | "question" | "request"> & { id: number },
): NeedsInput {
  const stored = "inline" in request ? request.inline["content_fd"] : undefined;
  const from = typeof stored === "string" ? stored : undefined;
  const { id: questionId, text, pre_amble, answer_type, default: given } = question;
  return {
    type: "needs_input",
    inquiry_id: formatInquiry(id),
    tool,
    question: { id: questionId, text, pre_amble, answer_type, default: given },
    target: questionId === CONTENT_QUESTION ? { model: { id: "inherit" } } : undefined,
    next: { command: "answer", args: { inquiry_id: formatInquiry(id), ...usualAnswer(question, from) } },
  };
}

/** How a caller answers: yes, or with content from the fd that it has or from stdin. A choice is the caller's. */
function usualAnswer(
  { answer_type: type }: Question,
  content = "-",
): Omit<NextArguments["answer"], "inquiry_id"> {
  if (type === "Boolean") return { answer: "true" };
  if (type === "Text" && content !== "-") return { content };
  if (typeof type !== "object" || !("Schema" in type)) return {};
  const { properties } = type.Schema.schema;
  return isJsonObject(properties) && "overwrite" in properties ? { overwrite: true, content } : { content };
}

/** Closes a question. `by` is the handle of the result. */
export function closeInquiry(
  store: Store,
  id: number,
  how: "answered" | "cancelled" | "replaced",
  by: string | undefined,
): void {
  appendCheckedLine(logPath(store, "inq", id), { event: "closed", at: momentNow(), how, by }, true);
}

/** Question number `id`. Returns undefined if there is none. */
export function readInquiry(store: Store, id: number): Inquiry | undefined {
  let isDamaged = false;
  const values = readLogLines(store, "inq", id, () => isDamaged = true) ?? [];
  const lines = validLines(line, values);
  const inquiry = inquiryIn(id, lines);
  return inquiry && { ...inquiry, isDamaged: isDamaged || lines.length < values.length };
}

function inquiryIn(
  id: number,
  lines: readonly v.InferOutput<typeof line>[],
): Omit<Inquiry, "isDamaged"> | undefined {
  const asked = lines.find((each) => each.event === "asked");
  if (asked === undefined || asked.number !== undefined && asked.number !== id) return undefined;
  return { id, asked, closed: lines.find((each) => each.event === "closed") };
}

/** The contradiction in the lines of question `id`. Returns undefined if there is none. */
export function faultInInquiry(id: number, values: readonly unknown[]): string | undefined {
  const lines = validLines(line, values);
  if (lines.length < values.length) return `${formatInquiry(id)} has invalid lines`;
  if (inquiryIn(id, lines) !== undefined) return undefined;
  const number = lines.find((each) => each.event === "asked")?.number;
  return number === undefined
    ? `${formatInquiry(id)} has no valid first line`
    : `it is the record of ${formatInquiry(number)}`;
}

/**
 * Finds the open question `handle` (`inq:4` or `4`).
 *
 * @throws {WriteError} `not_found`, `closed`; {@link FdError} `store_corrupt` if its state is unknown.
 */
export function findOpenInquiry(store: Store, handle: string, action: InquiryAction = "answer"): Inquiry {
  const id = numberIn("inq", handle);
  const inquiry = id === undefined ? undefined : readInquiry(store, id);
  if (id === undefined || inquiry === undefined) {
    return refuse({ kind: "not_found", family: "inq", handle, highest: highestLogId(store, "inq") });
  }
  const { closed } = inquiry;
  if (closed === undefined) {
    if (action === "answer" && inquiry.isDamaged) {
      const what = "its record is damaged, so it may already be closed";
      fail({ kind: "store_corrupt", fd: formatInquiry(id), path: logPath(store, "inq", id), what });
    }
    return inquiry;
  }
  const how = closed.by === undefined ? closed.how : `${closed.how} by ${closed.by}`;
  const next = closed.how === "replaced" && closed.by !== undefined
    ? { command: "answer" as const, args: { inquiry_id: closed.by } }
    : undefined;
  return refuse({ kind: "closed", action, handle: formatInquiry(id), how, next });
}

type InquiryAction = "answer" | "cancel";

const LOCK_WAIT_MS = 30_000;

/**
 * Runs `use` on the open question `handle`, while no other call answers or cancels it.
 *
 * @throws {WriteError} `not_found`, `closed`.
 */
export async function withOpenInquiry<Result>(
  store: Store,
  handle: string,
  action: InquiryAction,
  use: (inquiry: Inquiry) => Promise<Result>,
): Promise<Result> {
  const key = formatInquiry(findOpenInquiry(store, handle, action).id);
  const locks = await holdLocks(store, [key], LOCK_WAIT_MS);
  if (locks === undefined) {
    return refuse({ kind: "closed", action, handle: key, how: "being answered by another call" });
  }
  using _locks = atEnd(locks.release);
  return await use(findOpenInquiry(store, key, action));
}

/**
 * Cancels the open question `handle`, once no other call is answering it. `why` is the reason if the caller did not
 * ask for it.
 *
 * @throws {WriteError} `not_found`, `closed`.
 */
export async function cancelInquiry(store: Store, handle: string, why?: string): Promise<WriteResult> {
  return await withOpenInquiry(store, handle, "cancel", ({ id }) => {
    closeInquiry(store, id, "cancelled", undefined);
    const cancelled = `Cancelled ${formatInquiry(id)}: nothing was written.`;
    const message = why === undefined ? cancelled : `${why}. ${cancelled}`;
    return Promise.resolve({ type: "write_result", message });
  });
}

/** All open questions, oldest first. */
export function openInquiries(store: Store): Inquiry[] {
  const open: Inquiry[] = [];
  for (let id = 1; id <= highestLogId(store, "inq"); id++) {
    const inquiry = readInquiry(store, id);
    if (inquiry !== undefined && inquiry.closed === undefined) open.push(inquiry);
  }
  return open;
}

/**
 * The request that asked a question.
 *
 * @throws {WriteError} `incomplete_content`.
 */
export function inquiredRequest(store: Store, { id, asked }: Inquiry): unknown {
  if ("inline" in asked.request) return asked.request.inline;
  return storedJson(store, asked.request.fd, formatInquiry(id));
}

/** The structured-output schema of an answer, for a host. */
export function answerFormSchema({ id, asked }: Inquiry): Record<string, unknown> {
  return {
    type: "object",
    properties: {
      inquiry_id: { type: "string", const: formatInquiry(id) },
      answer: schemaOfAnswer(asked.question.answer_type),
    },
    required: ["inquiry_id", "answer"],
    additionalProperties: false,
  };
}

/** The JSON Schema of an answer. */
export function schemaOfAnswer(answerType: AnswerType): Record<string, unknown> {
  if (answerType === "Boolean") return { type: "boolean" };
  if (answerType === "Text") return { type: "string" };
  if ("Select" in answerType) return { type: "string", enum: answerType.Select.options };
  return answerType.Schema.schema;
}
