/**
 * Parses what Claude Code writes to its hook. Plain code, because the hook runs after every command, and loading a
 * schema library would cost more than the rest of most calls.
 */

import { utf8Text } from "../../fd/mod.ts";

export type ClaudeCodeCall =
  /** Nothing to do: another event or tool, output that is not text, a background command. */
  | { kind: "other" }
  | { kind: "malformed"; got: string }
  /** A failed command, and the text that the model gets for it. */
  | { kind: "failed"; command: string; shown: string }
  | { kind: "ended"; result: CommandResult };

/** A command that exited with 0. */
export interface CommandResult {
  command: string;
  /** The result with all of its fields, which the answer must repeat. */
  response: Readonly<Record<string, unknown>>;
  /** Both streams in order of arrival, cut at 30,000 chars. */
  stdout: string;
  /** The file with longer output, up to Claude Code's own limit, and the length of all output. */
  persisted: { path: string; byteCount: number | undefined } | undefined;
}

export function readClaudeCodeCall(payload: Uint8Array): ClaudeCodeCall {
  const call = objectOf(parsed(payload));
  if (call === undefined) return { kind: "malformed", got: "no JSON object" };
  const { hook_event_name: event, tool_name: tool, tool_input: input, tool_response, error } = call;
  if (typeof tool !== "string") return { kind: "malformed", got: "JSON without tool_name" };
  if (tool !== "Bash") return { kind: "other" };
  const written = objectOf(input)?.["command"];
  const command = typeof written === "string" ? written : "";
  if (event === "PostToolUseFailure") {
    return typeof error === "string"
      ? { kind: "failed", command, shown: error }
      : { kind: "malformed", got: "a failure without error" };
  }
  // fdtool before 0.1 installed itself for PreToolUse; such a command stays as it is.
  if (event !== "PostToolUse") return { kind: "other" };
  const response = objectOf(tool_response);
  const stdout = response?.["stdout"];
  if (response === undefined || typeof stdout !== "string") {
    return { kind: "malformed", got: "a result without tool_response.stdout" };
  }
  // An image is data for the model. Output of a background command grows in a file that Claude Code names.
  if (response["isImage"] === true || response["backgroundTaskId"] !== undefined) return { kind: "other" };
  const { persistedOutputPath: path, persistedOutputSize: size } = response;
  const persisted = typeof path === "string"
    ? { path, byteCount: typeof size === "number" ? size : undefined }
    : undefined;
  return { kind: "ended", result: { command, response, stdout, persisted } };
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
