/**
 * What fdtool answers Claude Code after a command: nothing where the output is small, else the result with a preview in
 * the output's place. Of a failing command Claude Code lets a hook replace nothing, and keeps no more than 30,000 chars:
 * if that cut it, the model is told how to keep all of it.
 *
 * @module
 */

import { joinBytes, utf8Bytes, utf8Text } from "../../fd/mod.ts";
import { DEFAULT_THRESHOLD_CHARS } from "../capturing/capture_options.ts";
import { passThrough } from "../capturing/pass_through.ts";
import type { Host, Outcome } from "../terms/command.ts";
import { commandWriter } from "../answering/next_command.ts";
import { dressOf } from "../render/dress.ts";
import { xmlOf } from "../render/xml.ts";
import { type CommandResult, readClaudeCodeCall } from "./claude_code_call.ts";
import { keepResult } from "./keep_result.ts";

/** The outcome of a call whose stdin was `payload`. */
export function answerClaudeCode(payload: Uint8Array, host: Host): Outcome {
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
      return CUT.test(call.shown)
        ? reply({ hookEventName: "PostToolUseFailure", additionalContext: HOW_TO_KEEP_ALL })
        : NOTHING;
    case "ended":
      return answerResult(call.result, host);
  }
}

const NOTHING: Outcome = { exitCode: 0 };

/** What Claude Code writes where it cut the output of a failing command. */
const CUT = /\n\.\.\. \[\d+ characters truncated\] \.\.\.\n/;

const HOW_TO_KEEP_ALL =
  "Claude Code cut this output, and its end may be missing. To keep all of it, run the command again as " +
  "`fdtool run -- COMMAND` (or `fdtool run -- sh -c '…'`): it keeps the exit code, stores the whole output, and shows " +
  "its beginning, its end and a handle to search.";

/** fdtool as a command's name: it has dealt with its own output already. */
const CALLS_FDTOOL = /(?:^|[;&|(){}\n])\s*(?:\w+=\S*\s+)*["']?(?:[^\s"'=;&|]*\/)?fdtool["']?(?:$|[\s;&|)}])/;

function answerResult({ command, response, stdout, persisted }: CommandResult, host: Host): Outcome {
  // There are at least as many UTF-16 units as chars.
  if (persisted === undefined && stdout.length <= DEFAULT_THRESHOLD_CHARS) return NOTHING;
  if (CALLS_FDTOOL.test(command)) return NOTHING;
  const result = {
    text: stdout,
    path: persisted?.path,
    byteCount: persisted?.byteCount,
    command,
    exitCode: 0,
  };
  const kept = keepResult(result, "Claude Code", host);
  if (kept.kind === "unchanged") return { exitCode: 0, failures: kept.failures };
  // The file of the whole output would be shown instead of what stands in `stdout`.
  const { persistedOutputPath: _path, persistedOutputSize: _size, ...rest } = response;
  const preview = utf8Text(joinBytes([...xmlOf(kept.answer, dressOf(commandWriter(host.storeOption)))]))
    .trimEnd();
  const updatedToolOutput = { ...rest, stdout: preview };
  const { failures, afterwards } = kept;
  return { ...reply({ hookEventName: "PostToolUse", updatedToolOutput }), failures, afterwards };
}

function reply(hookSpecificOutput: unknown): Outcome {
  const bytes = utf8Bytes(`${JSON.stringify({ hookSpecificOutput })}\n`);
  return { exitCode: 0, answer: passThrough(bytes, "stdout") };
}
