/**
 * The tools that jp calls: fdtool's own, except that the two tools that write files have jp's names and parameters.
 */

import { inspectTarget, textTarget, wholeContent } from "../../writing/commit/inspect_target.ts";
import { resolveTarget } from "../../writing/commit/target_path.ts";
import { refuse } from "../../calls/terms/write_failure.ts";
import { meantFile } from "../../writing/commit/target_path.ts";
import { replacePattern } from "../replace_pattern.ts";
import { defineTool, type Tool } from "../tool.ts";
import { SMALL_CALLS, toolsOf } from "../tool_table.ts";
import { EDIT_REQUEST, type EditRequest } from "../../calls/requests/edit_request.ts";
import type { RequestFields } from "../../calls/requests/request_fields.ts";
import type { Operation } from "../../calls/terms/command.ts";
import { writeContextOf } from "../../writing/commit/write_context.ts";
import { askedOutcome } from "../../writing/write_options.ts";

const MODIFY_FIELDS = {
  path: {
    kind: "text",
    isNeverEmpty: true,
    isRequired: true,
    description: "The file to modify, relative to the root.",
  },
  patterns: {
    kind: "list",
    fields: {
      old: {
        kind: "text",
        isRequired: true,
        description: "The text to replace. Must match exactly once, unless replace_all is set.",
      },
      new: { kind: "text", isRequired: true, description: "The replacement." },
    },
    isRequired: true,
    description: "Replacements, applied in order, all or none.",
  },
  replace_all: { kind: "flag", description: "Replace every match (default false)." },
  replace_using_regex: {
    kind: "flag",
    description:
      "old is a regular expression, new may use $1, ${name} and $$ (default false). ^ and $ match at lines.",
  },
  allow_placeholders: EDIT_REQUEST.fields.allow_placeholders,
  case_sensitive: { kind: "flag", description: "Whether upper and lower case differ (default true)." },
} as const satisfies RequestFields;

/** It asks for content, which the conversation's own model has to write. */
export const CREATE_TOOL = "fs_create_file";
export const MODIFY_TOOL = "fs_modify_file";

/** Its texts name jp's editing tool. */
function createTool(tools: readonly Tool[]): Tool {
  const tool = tools.find(({ name }) => name === "create_file")!;
  return {
    ...tool,
    name: CREATE_TOOL,
    description: "Create a file. Give only the path: you are then asked for the content.\n" +
      "If the file exists, you are asked whether to overwrite it; for a partial change use fs_modify_file instead, " +
      "which is cheaper. " +
      `${SMALL_CALLS}\nExample: {"path": "src/new.js"}`,
  };
}

const modifyTool = defineTool({
  name: MODIFY_TOOL,
  title: "Modify a file",
  part: "writing",
  description: "Replace text in a file.\n" +
    "Each pattern's old must match exactly once, unless replace_all is set. Patterns are applied in order, all or none. " +
    `The old content is kept as a backup fd. ${SMALL_CALLS}\n` +
    'Example: {"path": "a.js", "patterns": [{"old": "x = 1", "new": "x = 2"}]}',
  fields: MODIFY_FIELDS,
  command: "edit",
  argumentsOf: patternsOf,
  answers: ["write_result", "needs_input"],
  readOnly: false,
  destructive: true,
  idempotent: false,
  async run(request, host) {
    const { editFile } = await import("../../writing/edit_file.ts");
    const { path, patterns, replace_all, allow_placeholders } = request;
    const context = writeContextOf(host, host.answers);
    const isPlain = request.replace_using_regex !== true && request.case_sensitive !== false;
    if (isPlain) {
      const edits = patterns.map((each) => ({ old_string: each.old, new_string: each.new, replace_all }));
      return askedOutcome(await editFile({ path, edits, allow_placeholders }, context));
    }
    const target = await inspectTarget(path, resolveTarget(path, context), context, Infinity);
    if (target.file === undefined) {
      return refuse({ kind: "file_not_found", path, meant: meantFile(path, context) });
    }
    const before = new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      wholeContent(textTarget(target).text),
    );
    const after = patterns.reduce((text, pattern, index) => {
      return replacePattern(text, pattern, { ...request, edit: index });
    }, before);
    // Matches all of the old text, so that a file that changed meanwhile is refused.
    return askedOutcome(
      await editFile({ path, old_string: before, new_string: after, allow_placeholders }, context),
    );
  },
});

/** The arguments of `edit` as those of `fs_modify_file`, which converts no line ends. */
function patternsOf({ path, edits = [], eol, allow_placeholders, ...edit }: Partial<EditRequest>): object {
  const all = edit.old_string === undefined ? edits : [edit];
  const converted = (text = "") =>
    eol === undefined || eol === "keep" ? text : text.replace(/\r?\n/g, eol === "lf" ? "\n" : "\r\n");
  const patterns = all.map((each) => ({ old: converted(each.old_string), new: converted(each.new_string) }));
  return { path, patterns, replace_all: all[0]?.replace_all, allow_placeholders };
}

export function jpToolsOf(operations: readonly Operation[]): Tool[] {
  const tools = toolsOf(operations);
  const others = tools.filter(({ name }) => !["create_file", "answer_inquiry", "edit_file"].includes(name));
  return [createTool(tools), modifyTool, ...others];
}
