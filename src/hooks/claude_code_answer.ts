/**
 * Answers Claude Code's hook after a command: nothing if the output is small, else the result with a preview as its
 * output. Claude Code lets no hook replace the output of a failed command, and cuts it at 30,000 chars; if it did, the
 * answer tells the model how to store all of it.
 */

import { joinBytes, utf8Bytes, utf8Text } from "../../fd/mod.ts";
import { DEFAULT_THRESHOLD_CHARS } from "../capturing/capture_options.ts";
import { passThrough } from "../capturing/pass_through.ts";
import type { Host, Outcome } from "../terms/command.ts";
import { commandWriter } from "../answering/next_command.ts";
import { dressOf } from "../render/dress.ts";
import { xmlOf } from "../render/xml.ts";
import { type CommandResult, readClaudeCodeCall } from "./claude_code_call.ts";
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
