/**
 * Messages between `query` and the process that evaluates its filter: a job and its result, each one line of JSON.
 * A process of its own, because nothing else can stop a filter that never ends.
 */

import * as v from "valibot";
import type { FdFailure } from "../../../fd/system.ts";

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

export const QueryJob = v.strictObject({
  fd: v.string(),
  filter: v.string(),
  /** jq's own options, such as `-r`. */
  flags: v.array(v.string()),
  /** The memory that the filter may use. */
  memoryBytes: count,
  /** Limit of the results returned, in chars; 0 if they are only stored. */
  maxChars: count,
  /** Store all results as a new fd; `command` is for its record. */
  extract: v.optional(v.strictObject({ name: v.optional(v.string()), command: v.array(v.string()) })),
});

export type QueryJob = v.InferOutput<typeof QueryJob>;

/** The result of a filter. */
export interface QueryResult {
  /** The first results, one a line; the last one may be cut. */
  text: string;
  /** Whether there is more than `text`. */
  isCut: boolean;
  end: "done" | "stopped" | "out_of_memory" | "too_deep" | "bad_filter" | "failed";
  /** The first 2,000 chars of jq's stderr. */
  messages: string;
  /** The new fd, if there are results to store. */
  newFd?: string | undefined;
}

/** The first line of the answer if results are stored: their fd, in case the process is killed. */
export interface QueryStart {
  storing: string;
}

/** The process's answer: the result, or why there is none. */
export type QueryAnswer = { result: QueryResult } | { failure: FdFailure };
