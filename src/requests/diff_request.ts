/**
 * The request that `diff` answers, as a schema: what the command line makes of its words, and what `diff_fds` is called
 * with.
 *
 * @module
 */

import * as v from "valibot";
import { MAX_CONTEXT } from "./max_context.ts";

const fd = (description: string) => v.pipe(v.string(), v.minLength(1), v.description(description));
const flag = (description: string) => v.optional(v.pipe(v.boolean(), v.description(description)));

export const DiffRequest = v.strictObject({
  old_fd: fd('The older fd: "fd:12", "12" or "ref:NAME".'),
  new_fd: fd("The newer fd."),
  context: v.optional(
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.minValue(0),
      v.maxValue(MAX_CONTEXT),
      v.description("Lines of context around each change (default 3)."),
    ),
  ),
  ignore_times: flag("Ignore changes in dates, times of day, durations and epoch numbers."),
  ignore_addresses: flag("Ignore changes in memory addresses (0x7ffe…)."),
  ignore_space: flag("Ignore changes in amount of whitespace, and trailing whitespace."),
  ignore_case: flag("Ignore changes in case."),
  max_chars: v.optional(
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.minValue(1),
      v.description("Show at most this many chars of the diff (default 8000); a longer one becomes an fd."),
    ),
  ),
});

export type DiffRequest = v.InferOutput<typeof DiffRequest>;
