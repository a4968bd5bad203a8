import * as v from "valibot";
import { failUsage } from "../requests/usage_failure.ts";
import { readStdinText } from "./read_stdin_bytes.ts";

/** Reads a job that another process of fdtool wrote to stdin as JSON. Throws `bad_json` for anything else. */
export function readStdinJob<const Schema extends v.GenericSchema>(schema: Schema): v.InferOutput<Schema> {
  const what = "the job";
  const text = readStdinText(what);
  try {
    return v.parse(schema, JSON.parse(text));
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError) && !(thrown instanceof v.ValiError)) throw thrown;
    return failUsage({ kind: "bad_json", what, reason: thrown.message });
  }
}
