/**
 * What `run --background` hands to the process that stays behind, and what that answers, each as one line of JSON
 * through a pipe: the job before anything is started, the answer as soon as the command runs or cannot.
 *
 * @module
 */

import * as v from "valibot";

const text = v.string();
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** A command to run behind its caller's back, and how its output is to be kept. */
export const BackgroundJob = v.strictObject({
  /** As it is recorded. */
  words: v.array(text),
  /** The program's file, and how it is called. */
  path: text,
  calledAs: text,
  args: v.array(text),
  cwd: text,
  source: v.optional(text),
  pageSize: count,
  maxBytes: v.optional(count),
  durable: v.boolean(),
  split: v.boolean(),
  limitMs: v.optional(count),
});

export type BackgroundJob = v.InferOutput<typeof BackgroundJob>;

/** A system's refusal: what `FdFailure` says of it. */
const SystemFailure = v.object({
  kind: v.picklist(["permission_error", "read_error", "write_error", "storage_full"]),
  path: text,
  action: text,
  code: text,
});

/** What became of a job: the fds that its command writes, or why it does not run. */
export const BackgroundStart = v.variant("kind", [
  v.object({ kind: v.literal("started"), ids: v.array(count) }),
  v.object({ kind: v.literal("failed"), exitCode: count, failure: SystemFailure }),
]);

export type BackgroundStart = v.InferOutput<typeof BackgroundStart>;
