/**
 * Answers OpenCode's hook: stores the output that the plugin passes on, if it is large, and returns the preview.
 */

import * as v from "valibot";
import type { Host, Outcome } from "../terms/command.ts";
import { readPayload, unreadPayload } from "./hook_payload.ts";
import { replaceResult } from "./replace_result.ts";

const call = v.looseObject({
  command: v.optional(v.string()),
  output: v.string(),
  output_path: v.optional(v.string()),
  exit_code: v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(255)))),
});

export async function answerHook(written: Uint8Array, host: Host): Promise<Outcome> {
  const read = readPayload(call, written);
  if ("problem" in read) return unreadPayload("opencode", read.problem);
  const { command, output, output_path, exit_code } = read.payload;
  const replacement = await replaceResult(
    { path: output_path, text: output, command, exitCode: exit_code ?? undefined },
    "OpenCode",
    host,
  );
  return replacement.kind === "replaced"
    ? {
      exitCode: 0,
      answer: replacement.answer,
      failures: replacement.failures,
      afterwards: replacement.afterwards,
    }
    : { exitCode: 0, failures: replacement.failures };
}
