/**
 * The request that `search` answers, as a schema (contract, Agents).
 *
 * @module
 */

import * as v from "valibot";
import { MAX_CONTEXT } from "./max_context.ts";
import { FdArgument } from "./read_request.ts";

const flag = (description: string) => v.optional(v.pipe(v.boolean(), v.description(description)));
const lineCount = (description: string) =>
  v.optional(
    v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(MAX_CONTEXT), v.description(description)),
  );

export const SearchRequest = v.strictObject({
  fd: FdArgument,
  pattern: v.pipe(
    v.string(),
    v.description(
      "A regular expression as in RE2 or ripgrep (no lookaround, no backreferences), matched line by line.",
    ),
  ),
  fixed: flag("Treat pattern as plain text, not as a regular expression."),
  ignore_case: flag("Ignore case."),
  word: flag("Match whole words only (letters, digits, _)."),
  invert: flag("Find lines that do not match."),
  after: lineCount("Lines of context after each match."),
  before: lineCount("Lines of context before each match."),
  context: lineCount("Lines of context on both sides."),
  max_count: v.optional(
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.minValue(1),
      v.description("Show at most this many matching lines; when extracting, keep the first of them."),
    ),
  ),
  max_chars: v.optional(
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.minValue(1),
      v.description("Show at most this many chars of lines."),
    ),
  ),
  count: flag("Only count matching lines."),
  extract_to_new_fd: flag("Make the matching lines a new fd and return its handle."),
  name: v.optional(v.pipe(v.string(), v.description("With extract_to_new_fd: bind ref:NAME to the new fd."))),
});

export type SearchRequest = v.InferOutput<typeof SearchRequest>;
