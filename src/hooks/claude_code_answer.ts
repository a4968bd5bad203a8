/**
 * Answers Claude Code's hook after a tool: nothing if the result is small, else the result with a preview as its text.
 * Claude Code lets no hook replace the output of a failed command, and cuts it at 30,000 chars; if it did, the answer tells
 * the model how to store all of it.
 */

import { utf8Text } from "../../fd/system.ts";
import { DEFAULT_THRESHOLD_CHARS } from "../capturing/capture_options.ts";
import type { AnswerHook } from "./harness.ts";
import type { Host, Outcome } from "../terms/command.ts";
import { isOwnCall } from "./own_call.ts";
import { joinedTexts, jsonAnswer, replaceResult, type ToolResult } from "./replace_result.ts";

/** `tools`: whether results of Read are stored too. */
export const answerClaudeCode: AnswerHook = (payload, host, tools) => {
  const call = readClaudeCodeCall(payload, tools);
  switch (call.kind) {
    case "other":
      return NOTHING;
    case "malformed": {
      const wanted = "the JSON that Claude Code writes to a PostToolUse hook";
      const failure = { kind: "invalid_parameter", field: "stdin", got: call.got, wanted } as const;
      return { exitCode: 0, failures: [failure] };
    }
    case "failed":
      return CUT.test(call.shown) && !isOwnCall(call.command)
        ? jsonAnswer(reply({ hookEventName: "PostToolUseFailure", additionalContext: HOW_TO_STORE_ALL }))
        : NOTHING;
    case "ended":
      return answerResult(call, host);
  }
};

const NOTHING: Outcome = { exitCode: 0 };

/** Claude Code's mark where it cut the output of a failed command. */
const CUT = /\n\.\.\. \[\d+ characters truncated\] \.\.\.\n/;

const HOW_TO_STORE_ALL =
  "Claude Code cut this output, and its end may be missing. To keep all of it, run the command again as " +
  "`fdtool run -- COMMAND` (or `fdtool run -- sh -c '…'`): it keeps the exit code, stores the whole output, and shows " +
  "its beginning, its end and a handle to search.";

async function answerResult({ result, withPreview }: EndedCall, host: Host): Promise<Outcome> {
  const isWhole = result.path === undefined || result.tool !== undefined;
  // Chars are never more than UTF-16 units.
  if (isWhole && result.text.length <= DEFAULT_THRESHOLD_CHARS) return NOTHING;
  const around = (preview: string) =>
    reply({ hookEventName: "PostToolUse", updatedToolOutput: withPreview(preview) });
  return await replaceResult({ ...result, around }, "Claude Code", host);
}

function reply(hookSpecificOutput: unknown): unknown {
  return { hookSpecificOutput };
}

type ClaudeCodeCall =
  /** Nothing to do: another event or tool, output that is not text, a background command. */
  | { kind: "other" }
  | { kind: "malformed"; got: string }
  /** A failed command, and the text that the model gets for it. */
  | { kind: "failed"; command: string; shown: string }
  | EndedCall;

/** A result whose text can be replaced. */
interface EndedCall {
  kind: "ended";
  result: ToolResult;
  /** The result with a preview for its text, and with all of its other fields. */
  withPreview(preview: string): unknown;
}

/**
 * Reads what Claude Code writes to its hook. Plain code, because the hook runs after every command, and loading a schema
 * library would cost more than the rest of most calls.
 */
function readClaudeCodeCall(payload: Uint8Array, tools: string | undefined): ClaudeCodeCall {
  const call = objectOf(parsed(payload));
  if (call === undefined) return { kind: "malformed", got: "no JSON object" };
  const { hook_event_name: event, tool_name: tool, tool_input: input, tool_response, error, cwd } = call;
  if (typeof tool !== "string") return { kind: "malformed", got: "JSON without tool_name" };
  if (tool !== "Bash") {
    return event === "PostToolUse" ? textCall(tool, input, tool_response, tools) ?? OTHER : OTHER;
  }
  const written = objectOf(input)?.["command"];
  const command = typeof written === "string" ? written : "";
  if (event === "PostToolUseFailure") {
    return typeof error === "string"
      ? { kind: "failed", command, shown: error }
      : { kind: "malformed", got: "a failure without error" };
  }
  // fdtool before 0.1 installed itself for PreToolUse; such a command stays as it is.
  if (event !== "PostToolUse") return OTHER;
  const response = objectOf(tool_response);
  const text = response?.["stdout"];
  if (response === undefined || typeof text !== "string") {
    return { kind: "malformed", got: "a result without tool_response.stdout" };
  }
  // An image is data for the model. Output of a background command grows in a file that Claude Code names.
  if (response["isImage"] === true || response["backgroundTaskId"] !== undefined) return OTHER;
  // Left out, because Claude Code would show that file instead of `stdout`.
  const { persistedOutputPath: path, persistedOutputSize: size, ...rest } = response;
  const isInFile = typeof path === "string";
  const result = {
    text,
    path: isInFile ? path : undefined,
    byteCount: isInFile && typeof size === "number" ? size : undefined,
    isTrimmed: !isInFile,
    command,
    cwd: typeof cwd === "string" ? cwd : undefined,
    exitCode: 0,
  };
  return { kind: "ended", result, withPreview: (stdout) => ({ ...rest, stdout }) };
}

const OTHER: ClaudeCodeCall = { kind: "other" };

/** Marks that Claude Code puts before what an MCP server sent besides text. */
const BESIDES_TEXT = /^\[(?:Resource from|Resource link:|Image from|Audio from) /;

/**
 * Reads the result of another tool than the shell (Claude Code's `sdk-tools.d.ts`); undefined if it is not text alone. Of
 * an MCP server: a list of content; structured content comes as one JSON text.
 */
function textCall(
  tool: string,
  input: unknown,
  response: unknown,
  tools: string | undefined,
): EndedCall | undefined {
  const ended = (
    text: string,
    withPreview: EndedCall["withPreview"],
    more?: Partial<ToolResult>,
  ): EndedCall => ({
    kind: "ended",
    result: { text, tool, command: JSON.stringify(input), ...more },
    withPreview,
  });
  const members = objectOf(response);
  const page = members?.["result"];
  if (tool === "WebFetch" && typeof page === "string") {
    return ended(page, (result) => ({ ...members, result }));
  }
  if (tool === "Read") {
    const { file, type } = members ?? {};
    const { filePath, content, ...rest } = objectOf(file) ?? {};
    const { offset, limit } = objectOf(input) ?? {};
    // Lines that the model asked for by number are what it needs.
    if (tools !== "read" || type !== "text" || offset !== undefined || limit !== undefined) return undefined;
    if (typeof filePath !== "string" || typeof content !== "string") return undefined;
    const withPreview = (preview: string) => ({ ...members, file: { filePath, ...rest, content: preview } });
    return ended(content, withPreview, { path: filePath });
  }
  if (!/^mcp__(?!fdtool__)/.test(tool) || !Array.isArray(response)) return undefined;
  const texts = response.map((part) => objectOf(part)).map((part) =>
    part?.["type"] === "text" && part["text"]
  );
  if (!texts.every((text): text is string => typeof text === "string" && !BESIDES_TEXT.test(text))) {
    return undefined;
  }
  const { text, remarks } = joinedTexts(texts);
  return ended(text, (preview) => [{ type: "text", text: preview }], { remarks });
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8Text(bytes));
  } catch (thrown) {
    // JavaScriptCore throws RangeError for JSON nested too deeply.
    if (thrown instanceof SyntaxError || thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Readonly<Record<string, unknown>>
    : undefined;
}
