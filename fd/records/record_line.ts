/**
 * Whether a value is a line of a record log. `record_schema.ts` says what one is; this says the same in plain code, for
 * the reads that have no time for schemas, and is held to it by a test.
 *
 * @module
 */

import { arePossible, LAST_MOMENT_MS, type SealCounts } from "./possible_counts.ts";
import type { RecordLine } from "./record_schema.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Whether `value` is a line of a record log. */
export function isRecordLine(value: unknown): value is RecordLine {
  if (!isFields(value)) return false;
  switch (value["event"]) {
    case "claim":
      return isClaim(value);
    case "command":
      return isProcess(value["process"]);
    case "stop":
      return isMoment(value["at"]) && isText(value["signal"]) && isCount(value["grace_ms"]);
    case "seal":
      return isSeal(value);
    case "digest":
      return isText(value["sha256"]);
    case "tomb":
      return isMoment(value["at"]) && isText(value["why"]) && isCount(value["bytes"]) &&
        isMaybeText(value["sha256"]);
    default:
      return false;
  }
}

function isClaim(line: Fields): boolean {
  const { parent, command } = line;
  return isMoment(line["at"]) && isText(line["source"]) && isCount(line["page_size"]) &&
    line["page_size"] >= 1 &&
    (command === undefined || isTexts(command)) && isMaybeText(line["cwd"]) &&
    (parent === undefined || isParent(parent)) &&
    (line["imported_at"] === undefined || isMoment(line["imported_at"])) &&
    isProcess(line["writer"]);
}

function isParent(value: unknown): boolean {
  return isFields(value) && isCount(value["id"]) && isCount(value["start"]) && isCount(value["count"]) &&
    (value["mode"] === "page" || value["mode"] === "line" || value["mode"] === "char");
}

function isProcess(value: unknown): boolean {
  return isFields(value) && isCount(value["pid"]) && isMaybeText(value["started"]) &&
    isMaybeText(value["boot"]) && isMaybeText(value["space"]);
}

function isSeal(line: Fields): boolean {
  const { gap, ended } = line;
  return isMoment(line["at"]) && isCount(line["bytes"]) && isCount(line["chars"]) &&
    isCount(line["line_feeds"]) &&
    isCount(line["lines"]) && isCount(line["pages"]) && isCount(line["sum"]) &&
    (ended === "whole" || ended === "incomplete") && (gap === undefined || isGap(gap)) &&
    isMaybeCount(line["exit_code"]) && isMaybeText(line["signal"]) && isMaybeCount(line["duration_ms"]) &&
    arePossible(line as unknown as SealCounts);
}

function isGap(value: unknown): boolean {
  return isFields(value) && isCount(value["at_byte"]) && isCount(value["dropped_bytes"]);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

/** A whole number from 0 on that a double holds exactly. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isMoment(value: unknown): boolean {
  return isCount(value) && value <= LAST_MOMENT_MS;
}

/** One of those, or nothing. */
export function isMaybeCount(value: unknown): boolean {
  return value === undefined || isCount(value);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

/** Text, or nothing. */
export function isMaybeText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

/** A list of texts. */
export function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
