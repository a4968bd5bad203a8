/**
 * Answers Claude Code's hook after a tool: nothing if the result is small, else the result with a preview as its text.
 * Claude Code lets no hook replace the output of a failed command, and cuts it at 30,000 chars; if it did, the answer tells
 * the model how to store all of it.
 */

import { DEFAULT_THRESHOLD_CHARS } from "../capturing/capture_options.ts";
import { isJsonObject, membersIn } from "../calls/requests/json_object.ts";
import { isOwnCall } from "./own_call.ts";
import { hookOf, joinedTexts, textIn, type ToolResult } from "./replace_result.ts";

const SAVED = {
  inHome: ".claude",
  variables: ["CLAUDE_CONFIG_DIR"],
  path: /[\\/]tool-results[\\/][^\\/]+$/,
};

/** `tools`: whether results of Read are stored too. */
export const answerClaudeCode = hookOf("Claude Code", SAVED, (call, tools) => {
  const { hook_event_name: event, tool_name: tool, tool_input: input, tool_response, error, cwd } = call;
  if (typeof tool !== "string") return { got: "JSON without tool_name" };
  if (tool !== "Bash") {
    return event === "PostToolUse" ? textResult(tool, input, tool_response, tools) : undefined;
  }
  const command = textIn(membersIn(input)["command"]) ?? "";
  if (event === "PostToolUseFailure") {
    if (typeof error !== "string") return { got: "a failure without error" };
    if (!CUT.test(error) || isOwnCall(command)) return undefined;
    return { answer: reply({ hookEventName: event, additionalContext: HOW_TO_STORE_ALL }) };
  }
  if (event !== "PostToolUse") return undefined;
  // Left out, because Claude Code would show that file instead of `stdout`.
  const { persistedOutputPath, persistedOutputSize: size, ...rest } = membersIn(tool_response);
  const text = textIn(rest["stdout"]);
  if (text === undefined) return { got: "a result without tool_response.stdout" };
  // An image is data for the model. Output of a background command grows in a file that Claude Code names.
  if (rest["isImage"] === true || rest["backgroundTaskId"] !== undefined) return undefined;
  const path = textIn(persistedOutputPath);
  return {
    text,
    path,
    byteCount: path !== undefined && typeof size === "number" ? size : undefined,
    isTrimmed: path === undefined,
    command,
    cwd: textIn(cwd),
    exitCode: 0,
    around: replaced((stdout) => ({ ...rest, stdout })),
  };
});

/** Claude Code's mark where it cut the output of a failed command. */
const CUT = /\n\.\.\. \[\d+ characters truncated\] \.\.\.\n/;

const HOW_TO_STORE_ALL =
  "Claude Code cut this output, and its end may be missing. To keep all of it, run the command again as " +
  "`fdtool run -- COMMAND` (or `fdtool run -- sh -c '…'`): it keeps the exit code, stores the whole output, and shows " +
  "its beginning, its end and a handle to search.";

function reply(hookSpecificOutput: unknown): unknown {
  return { hookSpecificOutput };
}

/** The answer with a result that has a preview for its text, and all of its other fields. */
function replaced(withPreview: (preview: string) => unknown): (preview: string) => unknown {
  return (preview) => reply({ hookEventName: "PostToolUse", updatedToolOutput: withPreview(preview) });
}

/** Marks that Claude Code puts before what an MCP server sent besides text. */
const BESIDES_TEXT = /^\[(?:Resource from|Resource link:|Image from|Audio from) /;

/**
 * Reads the result of another tool than the shell (Claude Code's `sdk-tools.d.ts`); undefined if it is not text alone. Of
 * an MCP server: a list of content; structured content comes as one JSON text.
 */
function textResult(
  tool: string,
  input: unknown,
  response: unknown,
  tools: string | undefined,
): ToolResult | undefined {
  const called = { tool, command: JSON.stringify(input) };
  const members = membersIn(response);
  const page = textIn(members["result"]);
  if (tool === "WebFetch" && isJsonObject(response) && page !== undefined) {
    return { ...called, text: page, around: replaced((result) => ({ ...members, result })) };
  }
  if (tool === "Read") {
    const { filePath, content, ...rest } = membersIn(members["file"]);
    const { offset, limit } = membersIn(input);
    // Lines that the model asked for by number are what it needs.
    if (tools !== "read" || members["type"] !== "text" || offset !== undefined || limit !== undefined) {
      return undefined;
    }
    if (typeof filePath !== "string" || typeof content !== "string") return undefined;
    // Of a large file, the tool may have read a part only.
    if (content.length <= DEFAULT_THRESHOLD_CHARS) return undefined;
    const around = replaced((preview) => ({ ...members, file: { filePath, ...rest, content: preview } }));
    return { ...called, text: content, readPath: filePath, around };
  }
  if (!/^mcp__(?!fdtool__)/.test(tool) || !Array.isArray(response)) return undefined;
  const texts = response.map(membersIn).map(({ type, text }) => type === "text" && text);
  if (!texts.every((text): text is string => typeof text === "string" && !BESIDES_TEXT.test(text))) {
    return undefined;
  }
  return { ...called, ...joinedTexts(texts), around: replaced((text) => [{ type: "text", text }]) };
}
