/**
 * The lines of a record log (FORMAT.md, "Record log") and their validation. Plain code, since a schema would cost a
 * read a tenth of its time; a test compares it with a schema.
 */

import { SLICE_MODES, type SliceMode } from "../failures.ts";
import type { WriterIdentity } from "../store/writer_identity.ts";

/** Claims an id. */
export interface ClaimLine {
  event: "claim";
  at: number;
  source: string;
  page_size: number;
  command?: string[] | undefined;
  cwd?: string | undefined;
  parent?: { id: number; mode: SliceMode; start: number; count: number } | undefined;
  imported_at?: number | undefined;
  before?: number | undefined;
  /** The writer's, in a shared store. */
  host?: string | undefined;
  writer: WriterIdentity;
}

/** Records the command that runs in the background. */
export interface CommandLine {
  event: "command";
  process: WriterIdentity;
}

/** Requests that command to stop. */
export interface StopLine {
  event: "stop";
  at: number;
  signal: string;
  grace_ms: number;
}

/** Seals the fd: final counts of its content. */
export interface SealLine {
  event: "seal";
  at: number;
  bytes: number;
  chars: number;
  line_feeds: number;
  lines: number;
  pages: number;
  sum: number;
  ended: "whole" | "incomplete";
  gap?: { at_byte: number; dropped_bytes: number } | undefined;
  exit_code?: number | undefined;
  signal?: string | undefined;
  duration_ms?: number | undefined;
}

/** Caches a sha-256. */
export interface DigestLine {
  event: "digest";
  sha256: string;
}

/** Notes that compressing the content saves too little to pack it. */
export interface DenseLine {
  event: "dense";
}

/** Marks the fd as removed. */
export interface TombLine {
  event: "tomb";
  at: number;
  why: string;
  bytes: number;
  sha256?: string | undefined;
}

/** Says where the content of an fd on an object store is (SHARED.md). */
export interface StoredLine {
  event: "stored";
  /** The part of the segments' keys besides the id: 12 random hex digits. */
  data: string;
  segment_bytes: number;
  form: "plain" | "pack";
  /** In the segments so far. */
  bytes: number;
  host?: string | undefined;
}

/** Changes the etag of an fd on an object store, and nothing else (SHARED.md). */
export interface KeepLine {
  event: "keep";
  nonce: string;
}

export type RecordLine =
  | ClaimLine
  | CommandLine
  | StopLine
  | SealLine
  | DigestLine
  | DenseLine
  | TombLine
  | StoredLine
  | KeepLine;

/**
 * The fields of a line or of a record in it: name, kind, name, kind … A field whose kind ends with `?` may be missing. Made when
 * they are needed, of texts alone: all of them as objects would cost each call half a percent.
 */
function fieldsOf(what: string): readonly string[] | undefined {
  switch (what) {
    case "claim": // deno-fmt-ignore
      return [
        "at", "moment", "source", "text", "page_size", "size", "command", "texts?", "cwd", "text?", "parent", "parent?",
        "imported_at", "moment?", "before", "count?", "host", "text?", "writer", "process",
      ];
    case "command":
      return ["process", "process"];
    case "stop":
      return ["at", "moment", "signal", "text", "grace_ms", "count"];
    case "seal": // deno-fmt-ignore
      return [
        "at", "moment", "bytes", "count", "chars", "count", "line_feeds", "count", "lines", "count", "pages", "count",
        "sum", "count", "ended", "whole|incomplete", "gap", "gap?", "exit_code", "count?", "signal", "text?",
        "duration_ms", "count?",
      ];
    case "digest":
      return ["sha256", "text"];
    case "dense":
      return [];
    case "tomb":
      return ["at", "moment", "why", "text", "bytes", "count", "sha256", "text?"];
    case "stored": // deno-fmt-ignore
      return ["data", "key", "segment_bytes", "size", "form", "plain|pack", "bytes", "count", "host", "text?"];
    case "keep":
      return ["nonce", "text"];
    case "process":
      return ["pid", "count", "started", "text?", "boot", "text?", "space", "text?"];
    case "parent":
      return ["id", "count", "mode", SLICE_MODES.join("|"), "start", "count", "count", "count"];
    case "gap":
      return ["at_byte", "count", "dropped_bytes", "count"];
    default:
      return undefined;
  }
}

export function isRecordLine(value: unknown): value is RecordLine {
  const { event } = (value ?? {}) as { event?: unknown };
  return typeof event === "string" && event !== "process" && event !== "parent" && event !== "gap" &&
    hasFields(value, fieldsOf(event)) && (event !== "seal" || arePossible(value as SealLine));
}

function hasFields(value: unknown, fields: readonly string[] | undefined): boolean {
  if (typeof value !== "object" || value === null || fields === undefined) return false;
  const given = value as Readonly<Record<string, unknown>>;
  for (let at = 0; at < fields.length; at += 2) {
    if (!isOfKind(given[fields[at]!], fields[at + 1]!)) return false;
  }
  return true;
}

function isOfKind(value: unknown, written: string): boolean {
  const isOptional = written.endsWith("?");
  if (isOptional && value === undefined) return true;
  const kind = isOptional ? written.slice(0, -1) : written;
  switch (kind) {
    case "text":
      return typeof value === "string";
    case "texts":
      return isTexts(value);
    case "count":
      return isCount(value);
    case "size":
      return isCount(value) && value > 0;
    case "moment":
      return isCount(value) && value <= LAST_MOMENT_MS;
    case "key":
      return typeof value === "string" && /^[0-9a-f]{12}$/.test(value);
    default:
      return kind.includes("|")
        ? typeof value === "string" && kind.split("|").includes(value)
        : hasFields(value, fieldsOf(kind));
  }
}

/** Whether `value` is a non-negative safe integer. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

export function isMaybeCount(value: unknown): boolean {
  return value === undefined || isCount(value);
}

export function isMaybeText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

export function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** The last date that `Date` can represent, in milliseconds since 1970. */
export const LAST_MOMENT_MS = 8.64e15;

/** Returns the time for a record, which has none before 1970: the clock of an empty battery may. */
export function momentNow(): number {
  const nowMs = Date.now();
  return nowMs > 0 ? nowMs : 0;
}

interface SealCounts {
  bytes: number;
  chars: number;
  line_feeds: number;
  lines: number;
  pages: number;
}

/**
 * Whether any content can have these counts (FORMAT.md, "What must hold between numbers"). Seeking and formatting dates
 * rely on it.
 */
export function arePossible({ bytes, chars, line_feeds, lines, pages }: SealCounts): boolean {
  return chars <= bytes && line_feeds <= chars && (lines === line_feeds || lines === line_feeds + 1) &&
    pages >= 1 && pages <= (chars || 1);
}

/**
 * Source of fds with the previous content of replaced files. Preserved for the whole age limit, regardless of the
 * quota.
 */
export const BACKUP_SOURCE = "backup";
/** Source of fds with a plan as it was applied. Like the others of writes, they stay on the host. */
export const PLAN_SOURCE = "plan";
/** Source of fds with a request that waits for the answer to an inquiry. */
export const INQUIRY_SOURCE = "inquiry";

/** Sources the writing side still needs: preserved for the whole age limit, regardless of the quota. */
export const NEEDED_SOURCES: readonly string[] = [BACKUP_SOURCE, PLAN_SOURCE, INQUIRY_SOURCE];
