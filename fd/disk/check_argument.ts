/**
 * Checks the types of arguments at run time, because callers in JavaScript, or with casts, can pass anything. A wrong
 * argument is a typed failure, reported before anything is created.
 */

import { fail } from "./errors.ts";

/** Maximum length of a wrong value in a failure. */
const MAX_SHOWN = 40;

/** @throws {FdError} `invalid_parameter` for `field`. */
export function refuseArgument(field: string, value: unknown, wanted: string): never {
  fail({ kind: "invalid_parameter", field, got: shown(value), wanted });
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, MAX_SHOWN));
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "an array" : "an object";
}

export function checkText(field: string, value: unknown): void {
  if (typeof value !== "string") refuseArgument(field, value, "a string");
}

export function checkOptionalText(field: string, value: unknown): void {
  if (value !== undefined) checkText(field, value);
}

export function checkOptionalTexts(field: string, value: unknown): void {
  if (value === undefined) return;
  if (!Array.isArray(value) || value.some((each) => typeof each !== "string")) {
    refuseArgument(field, value, "an array of strings");
  }
}

export function checkBytes(field: string, value: unknown): void {
  if (!(value instanceof Uint8Array)) refuseArgument(field, value, "a Uint8Array");
}

export function checkRecord(field: string, value: unknown): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    refuseArgument(field, value, "an object");
  }
}

/**
 * Refuses a path with half a surrogate pair: it has no UTF-8 form, would become U+FFFD, and two paths could
 * then name one file.
 *
 * @throws {FdError} `invalid_parameter`.
 */
export function checkPath(path: string): void {
  checkText("path", path);
  if (path.isWellFormed()) return;
  const wanted = "a path that can be written as UTF-8";
  fail({ kind: "invalid_parameter", field: "path", got: JSON.stringify(path), wanted });
}
