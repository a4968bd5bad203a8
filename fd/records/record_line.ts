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

type Given = Readonly<Record<string, unknown>>;

export function isRecordLine(value: unknown): value is RecordLine {
  return isObject(value) && hasFields(value);
}

function isObject(value: unknown): value is Given {
  return typeof value === "object" && value !== null;
}

/** Whether a line has the fields of its event. */
function hasFields(line: Given): boolean {
  switch (line["event"]) {
    case "claim":
      return isClaim(line);
    case "command":
      return isProcess(line["process"]);
    case "stop":
      return isMoment(line["at"]) && typeof line["signal"] === "string" && isCount(line["grace_ms"]);
    case "seal":
      return isSeal(line);
    case "digest":
      return typeof line["sha256"] === "string";
    case "dense":
      return true;
    case "tomb":
      return isMoment(line["at"]) && typeof line["why"] === "string" && isCount(line["bytes"]) &&
        isMaybeText(line["sha256"]);
    case "stored":
      return isStored(line);
    case "keep":
      return typeof line["nonce"] === "string";
    default:
      return false;
  }
}

function isClaim(line: Given): boolean {
  const { at, source, page_size, command, cwd, parent, imported_at, before, host, writer } = line;
  return isMoment(at) && typeof source === "string" && isCount(page_size) && page_size > 0 &&
    (command === undefined || isTexts(command)) &&
    isMaybeText(cwd) && (parent === undefined || isParent(parent)) &&
    (imported_at === undefined || isMoment(imported_at)) && isMaybeCount(before) && isMaybeText(host) &&
    isProcess(writer);
}

function isParent(parent: unknown): boolean {
  return isObject(parent) && isCount(parent["id"]) && SLICE_MODES.includes(parent["mode"] as SliceMode) &&
    isCount(parent["start"]) && isCount(parent["count"]);
}

function isProcess(writer: unknown): boolean {
  return isObject(writer) && isCount(writer["pid"]) && isMaybeText(writer["started"]) &&
    isMaybeText(writer["boot"]) && isMaybeText(writer["space"]);
}

function isSeal(line: Given): boolean {
  const { at, bytes, chars, line_feeds, lines, pages, sum, ended, gap, exit_code, signal, duration_ms } =
    line;
  return isMoment(at) && isCount(bytes) && isCount(chars) && isCount(line_feeds) && isCount(lines) &&
    isCount(pages) && isCount(sum) && (ended === "whole" || ended === "incomplete") &&
    (gap === undefined || isObject(gap) && isCount(gap["at_byte"]) && isCount(gap["dropped_bytes"])) &&
    isMaybeCount(exit_code) && isMaybeText(signal) && isMaybeCount(duration_ms) &&
    arePossible(line as unknown as SealCounts);
}

function isStored({ data, segment_bytes, form, bytes, host }: Given): boolean {
  return typeof data === "string" && /^[0-9a-f]{12}$/.test(data) && isCount(segment_bytes) &&
    segment_bytes > 0 &&
    (form === "plain" || form === "pack") && isCount(bytes) && isMaybeText(host);
}

function isMoment(value: unknown): boolean {
  return isCount(value) && value <= LAST_MOMENT_MS;
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
