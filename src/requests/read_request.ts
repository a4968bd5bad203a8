/**
 * The request that `read` answers, as a schema: what the command line makes of its words, and what tools are called with
 * (contract, Agents).
 *
 * @module
 */

import * as v from "valibot";
import { SLICE_MODES } from "../../fd/mod.ts";

/** An fd as tools name it. */
export const FdArgument = v.pipe(
  v.string(),
  v.minLength(1),
  v.description('The fd: "fd:12", "12" or "ref:NAME".'),
);

/** The unit of a slice. */
export const SliceModeArgument = v.picklist(SLICE_MODES);

export const ReadRequest = v.strictObject({
  fd: FdArgument,
  read_all: v.optional(v.pipe(v.boolean(), v.description("Read the whole content."))),
  extract_to_new_fd: v.optional(
    v.pipe(v.boolean(), v.description("Make the slice a new fd and return its handle, not the content.")),
  ),
  mode: v.optional(
    v.pipe(SliceModeArgument, v.description("Unit of start, count and tail (default page).")),
  ),
  start: v.optional(
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.description("First unit: pages and lines from 1, chars from 0 (default: the first)."),
    ),
  ),
  count: v.optional(
    v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.description("Number of units (default 1).")),
  ),
  tail: v.optional(
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.minValue(1),
      v.description("Instead of start and count: the last units."),
    ),
  ),
  since: v.optional(
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.minValue(0),
      v.description(
        "Instead of a slice: everything after this cursor of an earlier answer (0: from the start).",
      ),
    ),
  ),
  number: v.optional(v.pipe(v.boolean(), v.description("Show line numbers."))),
  max_chars: v.optional(
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.minValue(1),
      v.description("Show at most this many chars, ending at a line end."),
    ),
  ),
  exact: v.optional(
    v.pipe(v.boolean(), v.description("Show the stored text, with escape sequences and overwritten text.")),
  ),
  name: v.optional(v.pipe(v.string(), v.description("With extract_to_new_fd: bind ref:NAME to the new fd."))),
});

export type ReadRequest = v.InferOutput<typeof ReadRequest>;
