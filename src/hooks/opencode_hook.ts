/**
 * The hook of OpenCode: what the plugin writes of a shell command that has ended is kept if it is large, and answered with
 * what the model is shown instead.
 *
 * @module
 */

import * as v from "valibot";
import type { Host, Outcome } from "../terms/command.ts";
import { readPayload, unreadPayload } from "./hook_payload.ts";
import { keepResult } from "./keep_result.ts";

const call = v.looseObject({
  command: v.optional(v.string()),
  output: v.string(),
  output_path: v.optional(v.string()),
  exit_code: v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(255)))),
});

export function answerHook(written: Uint8Array, host: Host): Outcome {
  const read = readPayload(call, written);
  if ("problem" in read) return unreadPayload("opencode", read.problem);
  const { command, output, output_path, exit_code } = read.payload;
  const kept = keepResult(
    { path: output_path, text: output, command, exitCode: exit_code ?? undefined },
    "OpenCode",
    host,
  );
  return kept.kind === "kept"
    ? { exitCode: 0, answer: kept.answer, failures: kept.failures, afterwards: kept.afterwards }
    : { exitCode: 0, failures: kept.failures };
}
