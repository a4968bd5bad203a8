/**
 * Serves jp's protocol for local tools (contract, Agents): two JSON texts, context and call, go in, and one JSON
 * outcome comes out. Unreadable calls get an outcome too, because jp reads nothing else. No state is kept between
 * calls: jp repeats a call with the answers to its questions.
 */

import * as v from "valibot";
import { disk, FdError, ifPossible, systemCode } from "../../../fd/system.ts";
import type { Host } from "../../calls/terms/command.ts";
import { commandWriter, parameterText } from "../../answers/parts/next_command.ts";
import { failUsage } from "../../calls/requests/usage_failure.ts";
import { OVERWRITE_QUESTION } from "../../writing/inquiries/inquiries.ts";
import { resolveInRoot } from "../../writing/commit/target_path.ts";
import { ONE_MESSAGE } from "../mcp/answer_bounds.ts";
import { dressedThrown } from "../answer_text.ts";
import { type BoundedOutcome, callBounded } from "../mcp/bounded_call.ts";
import { failUnknownTool } from "../choose_tools.ts";
import type { NamedParameter, NextCall } from "../../calls/terms/next_call.ts";
import { type Tool, toolCallWriter } from "../tool.ts";
import { CREATE_TOOL, jpToolsOf, MODIFY_TOOL } from "./jp_tools.ts";
import { membersIn } from "../../calls/requests/json_object.ts";
import { booleanOf, shownValue } from "../../calls/requests/lenient_arguments.ts";
import { understandJson } from "../../calls/requests/lenient_json.ts";

/**
 * Answer types in questions. `plain`: those of released jp (`Boolean`, `Select`, `Text`). `schema`: those of its draft.
 */
export const ANSWER_TYPES = ["plain", "schema"] as const;
type AnswerTypes = typeof ANSWER_TYPES[number];

type JpOutcome =
  | { type: "success"; content: string }
  | { type: "error"; message: string; trace: string[]; transient: boolean }
  | { type: "needs_input"; question: unknown };

const Context = v.looseObject({
  root: v.string(),
  action: v.optional(v.picklist(["run", "format_arguments"])),
  /** The name of `format_arguments` in older versions. */
  format_parameters: v.optional(v.boolean()),
});

const ToolCall = v.looseObject({
  name: v.string(),
  arguments: v.nullish(v.unknown()),
  answers: v.nullish(v.record(v.string(), v.unknown())),
});

/** System errors that a later try may not meet. */
const PASSING = new Set(["EAGAIN", "EBUSY", "EINTR", "EMFILE", "ENFILE", "ENOSPC", "EDQUOT", "ETXTBSY"]);

/** Runs one call. Also returns whether it changed a file. */
export async function serveJp(
  contextText: string,
  toolText: string,
  host: Host,
  answerTypes: AnswerTypes,
): Promise<{ outcome: JpOutcome; isDone: boolean }> {
  const tools = jpToolsOf(host.operations());
  const [writeTool, writeCommand] = [toolCallWriter(tools), commandWriter(host.storeOption, parameterText)];
  const writeCall = (call: NextCall | NamedParameter) => writeTool(call) ?? writeCommand(call);
  const undone = (outcome: JpOutcome) => ({ outcome, isDone: false });
  try {
    const context = checked(Context, contextText, "the context");
    const call = checked(ToolCall, toolText, "the tool");
    const tool = tools.find(({ name }) => name === call.name) ?? failUnknownTool(call.name, tools);
    const given = call.arguments ?? {};
    const formats = context.action === "format_arguments" || context.format_parameters === true;
    if (formats) return undone({ type: "success", content: formattedArguments(given) });
    const answers = understoodAnswers(call.answers ?? {});
    const plainQuestions = answerTypes === "plain";
    const jpHost = { ...confined(host, context.root), answers, plainQuestions };
    const bounded = await callBounded(tool, given, jpHost, writeCall, ONE_MESSAGE);
    const { type, question } = bounded.json;
    const outcome: JpOutcome = type === "needs_input"
      ? { type, question }
      : { type: "success", content: bounded.xml };
    return { outcome: inJpNames(outcome, tool), isDone: isDone(bounded) };
  } catch (thrown) {
    const { failure } = dressedThrown(thrown, "serve-jp", writeCall);
    const { type, message, next } = failure;
    const trace = [type, ...next === undefined ? [] : [writeCall(next)]];
    return undone({ type: "error", message: inJpWords(message), trace, transient: isPassing(thrown) });
  }
}

function isDone({ json }: BoundedOutcome): boolean {
  const isWrite = json["type"] === "write_result" || json["type"] === "fd_file_result";
  return isWrite && json["dry_run"] !== true;
}

function checked<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string,
  what: string,
): v.InferOutput<Schema> {
  const { value } = understandJson(text, what);
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  const faults = parsed.issues.map((issue) => {
    const field = (issue.path ?? []).map(({ key }) => String(key)).join(".");
    if (issue.received === "undefined") return `${field} is missing`;
    return `${field}: got ${shownValue(issue.input)}, expected ${issue.expected ?? issue.message}`;
  });
  return failUsage({ kind: "bad_json", what, reason: faults.join("; ") });
}

/** The answers by question id. jp passes on written words, so yes and no are read as booleans. */
function understoodAnswers(answers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { [OVERWRITE_QUESTION]: overwrite, ...others } = answers;
  if (overwrite === undefined) return others;
  return { ...others, [OVERWRITE_QUESTION]: booleanOf(overwrite) ?? overwrite };
}

/**
 * A host that starts in `root` and cannot write outside of it. If the host is confined already, `root` must be inside.
 */
function confined(host: Host, root: string): Host {
  const real = resolveInRoot(root, host);
  if (ifPossible(() => disk.stat(real))?.isDirectory() !== true) {
    const reason = `root: got ${shownValue(root)}, expected an existing directory`;
    return failUsage({ kind: "bad_json", what: "the context", reason });
  }
  return { ...host, cwd: real, root: real };
}

/** A summary of the call for a user who watches: its path or fd, never content. */
function formattedArguments(given: unknown): string {
  const named = membersIn(given);
  const shown = ["path", "filePath", "file_path", "target_file", "fd", "inquiry_id"].flatMap((name) => {
    const value = named[name];
    return typeof value === "string" || typeof value === "number" ? [String(value)] : [];
  });
  return shown.slice(0, 2).join(" ");
}

function inJpNames(outcome: JpOutcome, { name }: Tool): JpOutcome {
  if (name !== CREATE_TOOL) return outcome;
  // The question's schema has descriptions, which models read too.
  return JSON.parse(inJpWords(JSON.stringify(outcome)));
}

function inJpWords(text: string): string {
  return text.replace(/`edit_file`|(?<=use )edit_file/g, (named) => named.replace("edit_file", MODIFY_TOOL));
}

function isPassing(thrown: unknown): boolean {
  const code = thrown instanceof FdError && "code" in thrown.failure
    ? thrown.failure.code
    : systemCode(thrown);
  return code !== undefined && PASSING.has(code);
}
