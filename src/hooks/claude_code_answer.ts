/**
 * Answers Claude Code's hook after a command: nothing if the output is small, else the result with a preview as its
 * output. Claude Code lets no hook replace the output of a failed command, and cuts it at 30,000 chars; if it did, the
 * answer tells the model how to store all of it.
 */

import { joinBytes, utf8Bytes, utf8Text } from "../../fd/system.ts";
import { DEFAULT_THRESHOLD_CHARS } from "../capturing/capture_options.ts";
import { passThrough } from "../capturing/pass_through.ts";
import type { Host, Outcome } from "../terms/command.ts";
import { commandWriter } from "../answering/next_command.ts";
import { dressOf } from "../render/dress.ts";
import { xmlOf } from "../render/xml.ts";
import { isOwnCall } from "./own_call.ts";
import { replaceResult } from "./replace_result.ts";

export function answerClaudeCode(payload: Uint8Array, host: Host): Outcome | Promise<Outcome> {
  const call = readClaudeCodeCall(payload);
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
        ? reply({ hookEventName: "PostToolUseFailure", additionalContext: HOW_TO_STORE_ALL })
        : NOTHING;
    case "ended":
      return answerResult(call.result, host);
  }
}

const NOTHING: Outcome = { exitCode: 0 };

/** Claude Code's mark where it cut the output of a failed command. */
const CUT = /\n\.\.\. \[\d+ characters truncated\] \.\.\.\n/;

const HOW_TO_STORE_ALL =
  "Claude Code cut this output, and its end may be missing. To keep all of it, run the command again as " +
  "`fdtool run -- COMMAND` (or `fdtool run -- sh -c '…'`): it keeps the exit code, stores the whole output, and shows " +
  "its beginning, its end and a handle to search.";

async function answerResult(
  { command, response, stdout, persisted }: CommandResult,
  host: Host,
): Promise<Outcome> {
  // Chars are never more than UTF-16 units.
  if (persisted === undefined && stdout.length <= DEFAULT_THRESHOLD_CHARS) return NOTHING;
  const result = {
    text: stdout,
    path: persisted?.path,
    byteCount: persisted?.byteCount,
    isTrimmed: persisted === undefined,
    command,
    exitCode: 0,
  };
  const { answer, failures, afterwards } = await replaceResult(result, "Claude Code", host);
  if (answer === undefined) return { exitCode: 0, failures };
  // Left out, because Claude Code would show that file instead of `stdout`.
  const { persistedOutputPath: _path, persistedOutputSize: _size, ...rest } = response;
  const preview = utf8Text(
    joinBytes([...xmlOf(answer, dressOf(commandWriter(host.storeOption)))]),
  )
    .trimEnd();
  const updatedToolOutput = { ...rest, stdout: preview };
  return { ...reply({ hookEventName: "PostToolUse", updatedToolOutput }), failures, afterwards };
}

function reply(hookSpecificOutput: unknown): Outcome {
  const bytes = utf8Bytes(`${JSON.stringify({ hookSpecificOutput })}\n`);
  return { exitCode: 0, answer: passThrough(bytes, "stdout") };
}

type ClaudeCodeCall =
  /** Nothing to do: another event or tool, output that is not text, a background command. */
  | { kind: "other" }
  | { kind: "malformed"; got: string }
  /** A failed command, and the text that the model gets for it. */
  | { kind: "failed"; command: string; shown: string }
  | { kind: "ended"; result: CommandResult };

/** A command that exited with 0. */
interface CommandResult {
  command: string;
  /** The result with all of its fields, which the answer must repeat. */
  response: Readonly<Record<string, unknown>>;
  /** Both streams in order of arrival, cut at 30,000 chars. */
  stdout: string;
  /** The file with longer output, up to Claude Code's own limit, and the length of all output. */
  persisted: { path: string; byteCount: number | undefined } | undefined;
}

/**
 * Reads what Claude Code writes to its hook. Plain code, because the hook runs after every command, and loading a schema
 * library would cost more than the rest of most calls.
 */
function readClaudeCodeCall(payload: Uint8Array): ClaudeCodeCall {
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
