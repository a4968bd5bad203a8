/**
 * What Claude Code tells its hook after a command, read from JSON by plain code: the hook runs after every command, and a
 * schema library would cost more than all the rest of most calls.
 *
 * @module
 */

import { utf8Text } from "../../fd/mod.ts";

/** A call of the hook, as far as it matters. */
export type ClaudeCodeCall =
  /** Nothing is to be done: another event or tool, output that is no text, a command in the background. */
  | { kind: "other" }
  /** Not what Claude Code writes. */
  | { kind: "malformed"; got: string }
  /** A command that failed, and the text that the model gets for it. */
  | { kind: "failed"; shown: string }
  | { kind: "ended"; result: CommandResult };

/** A command that ended with 0. */
export interface CommandResult {
  command: string;
  /** Everything that Claude Code says of the result: what is answered must hold the same fields. */
  response: Readonly<Record<string, unknown>>;
  /** Both streams in the order in which they came, cut at 30,000 chars. */
  stdout: string;
  /** The file that holds the whole of a longer output, up to Claude Code's own limit, and how long the whole was. */
  persisted: { path: string; byteCount: number | undefined } | undefined;
}

/** The call that `payload` holds. */
export function readClaudeCodeCall(payload: Uint8Array): ClaudeCodeCall {
  const call = objectOf(parsed(payload));
  if (call === undefined) return { kind: "malformed", got: "no JSON object" };
  const { hook_event_name: event, tool_name: tool, tool_input: input, tool_response, error } = call;
  if (typeof tool !== "string") return { kind: "malformed", got: "JSON without tool_name" };
  if (tool !== "Bash") return { kind: "other" };
  if (event === "PostToolUseFailure") {
    return typeof error === "string"
      ? { kind: "failed", shown: error }
      : { kind: "malformed", got: "a failure without error" };
  }
  // PreToolUse is what an older fdtool wrote into the settings: the command stays as it is.
  if (event !== "PostToolUse") return { kind: "other" };
  const response = objectOf(tool_response);
  const stdout = response?.["stdout"];
  if (response === undefined || typeof stdout !== "string") {
    return { kind: "malformed", got: "a result without tool_response.stdout" };
  }
  // An image is data for the model. The output of what runs on in the background grows in a file that Claude Code names.
  if (response["isImage"] === true || response["backgroundTaskId"] !== undefined) return { kind: "other" };
  const { persistedOutputPath: path, persistedOutputSize: size } = response;
  const persisted = typeof path === "string"
    ? { path, byteCount: typeof size === "number" ? size : undefined }
    : undefined;
  const command = objectOf(input)?.["command"];
  return {
    kind: "ended",
    result: { command: typeof command === "string" ? command : "", response, stdout, persisted },
  };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8Text(bytes));
  } catch (thrown) {
    // JavaScriptCore's stack ends at some depth of nesting.
    if (thrown instanceof SyntaxError || thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Readonly<Record<string, unknown>>
    : undefined;
}
