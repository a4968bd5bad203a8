/**
 * The record log of an fd: checksummed JSON lines that are only ever appended (FORMAT.md, "Record log"). What an fd is,
 * and in which state, follows from its log alone.
 *
 * @module
 */

import * as v from "valibot";
import { readCheckedLines, readCheckedLog } from "./checked_log.ts";
import type { Store } from "./open_store.ts";
import { recordPath } from "./store_paths.ts";

const wholeFrom = (least: number) =>
  v.custom<number>((value) => typeof value === "number" && Number.isSafeInteger(value) && value >= least);

/** What `v.picklist` checks. That one, made once, takes a sixth of the time that a small read has. */
const oneOf = <const T extends string>(options: readonly T[]) =>
  v.custom<T>((value) => (options as readonly unknown[]).includes(value));

// Few schemas, shared, and no pipes: every read makes all of them and uses them once.
const count = wholeFrom(0);
const maybeCount = v.optional(count);
const text = v.string();
const maybeText = v.optional(text);
const mode = oneOf(["page", "line", "char"]);

const process = v.object({
  pid: count,
  started: maybeText,
  boot: maybeText,
  space: maybeText,
});

const claimLine = v.object({
  event: v.literal("claim"),
  at: count,
  source: text,
  page_size: wholeFrom(1),
  command: v.optional(v.array(text)),
  cwd: maybeText,
  parent: v.optional(v.object({ id: count, mode, start: count, count })),
  imported_at: maybeCount,
  writer: process,
});

// Few records have these lines, so that their schemas are made when one is met.
const commandLine = () => v.object({ event: v.literal("command"), process });

const stopLine = () => v.object({ event: v.literal("stop"), at: count, signal: text, grace_ms: count });

const sealLine = v.object({
  event: v.literal("seal"),
  at: count,
  bytes: count,
  chars: count,
  line_feeds: count,
  lines: count,
  pages: count,
  sum: count,
  ended: oneOf(["whole", "incomplete"]),
  gap: v.optional(v.object({ at_byte: count, dropped_bytes: count })),
  exit_code: maybeCount,
  signal: maybeText,
  duration_ms: maybeCount,
});

const digestLine = v.object({ event: v.literal("digest"), sha256: text });

const tombLine = v.object({
  event: v.literal("tomb"),
  at: count,
  why: text,
  bytes: count,
  sha256: maybeText,
});

/** The line that takes an id. */
export type ClaimLine = v.InferOutput<typeof claimLine>;
/** The line that says which process writes in the background. */
export type CommandLine = v.InferOutput<ReturnType<typeof commandLine>>;
/** The line that asks for the end of that process. */
export type StopLine = v.InferOutput<ReturnType<typeof stopLine>>;
/** The line that says what the content came to. */
export type SealLine = v.InferOutput<typeof sealLine>;
/** The line that keeps a sha-256. */
export type DigestLine = v.InferOutput<typeof digestLine>;
/** The line that says the fd is gone. */
export type TombLine = v.InferOutput<typeof tombLine>;
/** Any line of a record log. */
export type RecordLine = ClaimLine | CommandLine | StopLine | SealLine | DigestLine | TombLine;

/** What a record log says, the last line of each kind. */
export interface RecordLog {
  claim: ClaimLine | undefined;
  command: CommandLine | undefined;
  stop: StopLine | undefined;
  seal: SealLine | undefined;
  digest: DigestLine | undefined;
  tomb: TombLine | undefined;
  /** Bytes that are no line: a torn append, or damage. 0 in a healthy log. */
  damagedBytes: number;
}

/** Reads a log. Lines that are torn or damaged are passed over and counted; the others hold. */
export function decodeLog(bytes: Uint8Array): RecordLog {
  const log: RecordLog = {
    claim: undefined,
    command: undefined,
    stop: undefined,
    seal: undefined,
    digest: undefined,
    tomb: undefined,
    damagedBytes: 0,
  };
  const onDamage = (byteLength: number) => {
    log.damagedBytes += byteLength;
  };
  const onLine = (value: unknown, byteLength: number) => {
    const line = lineOf(value);
    switch (line?.event) {
      case "claim":
        log.claim = line;
        break;
      case "command":
        log.command = line;
        break;
      case "stop":
        log.stop = line;
        break;
      case "seal":
        log.seal = line;
        // What was said of content that was still growing does not hold for it now.
        log.digest = undefined;
        break;
      case "digest":
        log.digest = line;
        break;
      case "tomb":
        log.tomb = line;
        break;
      default:
        onDamage(byteLength);
    }
  };
  readCheckedLines(bytes, onLine, onDamage);
  return log;
}

/** `value` as the line that its event says it is; undefined where it is none. */
function lineOf(value: unknown): RecordLine | undefined {
  const event = typeof value === "object" && value !== null && "event" in value ? value.event : undefined;
  const schema = schemaOf(event);
  const parsed = schema && v.safeParse(schema, value);
  return parsed?.success ? parsed.output : undefined;
}

function schemaOf(event: unknown) {
  switch (event) {
    case "claim":
      return claimLine;
    case "command":
      return commandLine();
    case "stop":
      return stopLine();
    case "seal":
      return sealLine;
    case "digest":
      return digestLine;
    case "tomb":
      return tombLine;
    default:
      return undefined;
  }
}

/** The log of `id`, or undefined where the id was never claimed. Always read afresh: any process may append. */
export function readLog(store: Store, id: number): RecordLog | undefined {
  const bytes = readCheckedLog(recordPath(store.path, id), `fd:${id}`);
  return bytes === undefined ? undefined : decodeLog(bytes);
}
