/**
 * Arguments that types keep right only where the caller is checked against them: a script in JavaScript, or a cast, gives
 * the library anything. What is wrong is a failure like any other, before anything is made for it.
 *
 * @module
 */

import { fail } from "./errors.ts";

/** So much of a wrong value is repeated. */
const MOST_SHOWN = 40;

/** Refuses `value` as `field`. */
export function refuseArgument(field: string, value: unknown, wanted: string): never {
  fail({ kind: "invalid_parameter", field, got: shown(value), wanted });
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, MOST_SHOWN));
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "an array" : "an object";
}

/** Refuses what is no string. */
export function checkText(field: string, value: unknown): void {
  if (typeof value !== "string") refuseArgument(field, value, "a string");
}

/** Refuses what is neither undefined nor a string. */
export function checkOptionalText(field: string, value: unknown): void {
  if (value !== undefined) checkText(field, value);
}

/** Refuses what is neither undefined nor an array of strings. */
export function checkOptionalTexts(field: string, value: unknown): void {
  if (value === undefined) return;
  if (!Array.isArray(value) || value.some((each) => typeof each !== "string")) {
    refuseArgument(field, value, "an array of strings");
  }
}

/** Refuses what is no Uint8Array. */
export function checkBytes(field: string, value: unknown): void {
  if (!(value instanceof Uint8Array)) refuseArgument(field, value, "a Uint8Array");
}

/** Refuses what has no properties. */
export function checkRecord(field: string, value: unknown): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    refuseArgument(field, value, "an object");
  }
}
