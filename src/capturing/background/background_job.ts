/**
 * The messages of `run --background` and the supervisor process: a job and its answer, each one line of JSON. The
 * answer comes as soon as the command runs or cannot be started.
 */

import * as v from "valibot";
import type { FdFailure } from "../../../fd/system.ts";

const text = v.string();
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** A command that has ended, whose output goes on from what it left in the background. */
const LeftCommand = v.object({
  pid: count,
  end: v.object({ exitCode: count, signal: v.optional(text), durationMs: v.number() }),
  /** The streams that go on, from descriptor 3 on. */
  streams: v.array(v.object({
    source: text,
    /** The output before: the number of its fd, or its bytes in base64. */
    before: v.union([count, text]),
  })),
});

export type LeftCommand = v.InferOutput<typeof LeftCommand>;

export const BackgroundJob = v.object({
  words: v.array(text),
  /** The program's file, and its argv[0]. */
  path: text,
  calledAs: text,
  args: v.pipe(v.array(text), v.readonly()),
  verbatim: v.optional(v.boolean()),
  cwd: text,
  source: v.optional(text),
  pageSize: count,
  maxBytes: v.optional(count),
  durable: v.boolean(),
  split: v.boolean(),
  limitMs: v.optional(v.number()),
  left: v.optional(LeftCommand),
});

export type BackgroundJob = v.InferOutput<typeof BackgroundJob>;

/** The supervisor's answer: the fds that the command writes, or why it does not run. */
export type BackgroundStart =
  | { kind: "started"; ids: number[] }
  | { kind: "failed"; exitCode: number; failure: StartFailure };

type StartFailure = Extract<
  FdFailure,
  { kind: "permission_error" | "read_error" | "write_error" | "storage_full" }
>;
