/**
 * The requests that `ls`, `stat` and `refs` answer, as schemas (contract, Agents).
 *
 * @module
 */

import * as v from "valibot";
import { FdArgument } from "./read_request.ts";

export const ListRequest = v.strictObject({
  limit: v.optional(
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.minValue(1),
      v.description("Show the newest N (default 100)."),
    ),
  ),
  all: v.optional(v.pipe(v.boolean(), v.description("Show all."))),
  before: v.optional(v.pipe(v.string(), v.minLength(1), v.description("Show those older than this fd."))),
  removed: v.optional(
    v.pipe(
      v.boolean(),
      v.description("List removed fds instead, with when and why."),
    ),
  ),
});
export type ListRequest = v.InferOutput<typeof ListRequest>;

export const StatRequest = v.strictObject({ fd: FdArgument });
export type StatRequest = v.InferOutput<typeof StatRequest>;

export const RefsRequest = v.strictObject({
  limit: v.optional(
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.minValue(1),
      v.description("Show at most so many (default 100)."),
    ),
  ),
  all: v.optional(v.pipe(v.boolean(), v.description("Show all, not only the first 100."))),
  after: v.optional(v.pipe(v.string(), v.minLength(1), v.description("Show those that follow this name."))),
});
export type RefsRequest = v.InferOutput<typeof RefsRequest>;
