/**
 * Answers OpenCode's hook: stores the output that the plugin passes on, if it is large, and returns the preview.
 */

import * as v from "valibot";
import type { Host, Outcome } from "../terms/command.ts";
import { replaceResult } from "./replace_result.ts";

const call = v.looseObject({
  command: v.optional(v.string()),
  output: v.string(),
  output_path: v.optional(v.string()),
  exit_code: v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(255)))),
});

export async function answerHook(written: Uint8Array, host: Host): Promise<Outcome> {
  const read = readCall(written);
  if (typeof read === "string") {
    const wanted = "what OpenCode writes to its hook";
    // Reported on stderr with exit code 0: any other code would mean something to the harness.
    return { exitCode: 0, failures: [{ kind: "invalid_parameter", field: "stdin", got: read, wanted }] };
  }
  const { command, output: text, output_path: path, exit_code } = read;
  const result = { path, text, isTextInFile: true, command, exitCode: exit_code ?? undefined };
  return { exitCode: 0, ...await replaceResult(result, "OpenCode", host) };
}

/** Reads the payload, or says what it is instead. */
function readCall(written: Uint8Array): v.InferOutput<typeof call> | string {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(written));
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError || thrown instanceof TypeError)) throw thrown;
    return written.length === 0 ? "nothing" : "text that is not valid JSON";
  }
  const read = v.safeParse(call, value);
  if (read.success) return read.output;
  const name = v.getDotPath(read.issues[0]);
  return name === null ? "JSON that is not an object" : `JSON without a valid ${name}`;
}
