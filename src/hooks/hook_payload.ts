/**
 * Reads what a harness writes to its hook. A truncated or unknown payload is reported once on stderr; the result stays.
 */

import * as v from "valibot";
import type { Outcome } from "../terms/command.ts";

export function readPayload<Schema extends v.GenericSchema>(
  schema: Schema,
  written: Uint8Array,
): { payload: v.InferOutput<Schema> } | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(written));
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError || thrown instanceof TypeError)) throw thrown;
    return { problem: written.length === 0 ? "nothing" : "text that is not valid JSON" };
  }
  const read = v.safeParse(schema, value);
  if (read.success) return { payload: read.output };
  const [issue] = read.issues;
  const name = v.getDotPath(issue);
  return { problem: name === null ? "JSON that is not an object" : `JSON without a valid ${name}` };
}

/** Reports on stderr with exit code 0: any other code would mean something to a harness. */
export function unreadPayload(harness: string, problem: string): Outcome {
  const wanted = `what ${harness} writes to its hook`;
  return { exitCode: 0, failures: [{ kind: "invalid_parameter", field: "stdin", got: problem, wanted }] };
}
