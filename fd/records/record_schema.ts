/**
 * The lines of a record log (FORMAT.md, "Record log") as schemas: what a line is, for whoever checks a store, and the
 * types of all that read and write lines. A read checks lines by `record_line.ts`, which must take the same ones: making
 * and running these schemas would cost it a tenth of its time.
 *
 * @module
 */

import * as v from "valibot";
import { arePossible, LAST_MOMENT_MS } from "./possible_counts.ts";

const wholeFrom = (least: number) =>
  v.custom<number>((value) => typeof value === "number" && Number.isSafeInteger(value) && value >= least);

const count = wholeFrom(0);
const moment = v.pipe(count, v.maxValue(LAST_MOMENT_MS));
const maybeCount = v.optional(count);
const text = v.string();
const maybeText = v.optional(text);
const mode = v.picklist(["page", "line", "char"]);

const process = v.object({
  pid: count,
  started: maybeText,
  boot: maybeText,
  space: maybeText,
});

const claimLine = v.object({
  event: v.literal("claim"),
  at: moment,
  source: text,
  page_size: wholeFrom(1),
  command: v.optional(v.array(text)),
  cwd: maybeText,
  parent: v.optional(v.object({ id: count, mode, start: count, count })),
  imported_at: v.optional(moment),
  writer: process,
});

const commandLine = v.object({ event: v.literal("command"), process });

const stopLine = v.object({ event: v.literal("stop"), at: moment, signal: text, grace_ms: count });

const sealLine = v.object({
  event: v.literal("seal"),
  at: moment,
  bytes: count,
  chars: count,
  line_feeds: count,
  lines: count,
  pages: count,
  sum: count,
  ended: v.picklist(["whole", "incomplete"]),
  gap: v.optional(v.object({ at_byte: count, dropped_bytes: count })),
  exit_code: maybeCount,
  signal: maybeText,
  duration_ms: maybeCount,
});

const digestLine = v.object({ event: v.literal("digest"), sha256: text });

const tombLine = v.object({
  event: v.literal("tomb"),
  at: moment,
  why: text,
  bytes: count,
  sha256: maybeText,
});

/** The line that takes an id. */
export type ClaimLine = v.InferOutput<typeof claimLine>;
/** The line that says which process writes in the background. */
export type CommandLine = v.InferOutput<typeof commandLine>;
/** The line that asks for the end of that process. */
export type StopLine = v.InferOutput<typeof stopLine>;
/** The line that says what the content came to. */
export type SealLine = v.InferOutput<typeof sealLine>;
/** The line that keeps a sha-256. */
export type DigestLine = v.InferOutput<typeof digestLine>;
/** The line that says the fd is gone. */
export type TombLine = v.InferOutput<typeof tombLine>;
/** Any line of a record log. */
export type RecordLine = ClaimLine | CommandLine | StopLine | SealLine | DigestLine | TombLine;

const recordLine = v.variant("event", [claimLine, commandLine, stopLine, sealLine, digestLine, tombLine]);

/** Whether `value` is a line of a record log, by the schemas. */
export function fitsRecordSchema(value: unknown): value is RecordLine {
  return v.is(recordLine, value) && (value.event !== "seal" || arePossible(value));
}
