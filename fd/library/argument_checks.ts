/**
 * Checks of arguments by callers that no compiler checked. Unlike the program, which calls the modules directly, strangers
 * pass null, NaN and misspelt options; each becomes `invalid_parameter` before anything is created.
 *
 * @module
 */

import { checkPath, refuseArgument } from "../disk/check_argument.ts";
import { LAST_MOMENT_MS } from "../records/record_line.ts";
import { isName } from "../store/fd_id.ts";

/** Fails with `invalid_parameter` for `field` unless it accepts `value`. */
export type Check = (field: string, value: unknown) => void;

/** Returns a check that accepts what `isRight` does. */
function accepting(isRight: (value: unknown) => boolean, wanted: string): Check {
  return (field, value) => {
    if (!isRight(value)) refuseArgument(field, value, wanted);
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const aText: Check = accepting((value) => typeof value === "string", "a string");

export const aFlag: Check = accepting((value) => typeof value === "boolean", "true or false");

export const someBytes: Check = accepting((value) => value instanceof Uint8Array, "a Uint8Array");

export const aFunction: Check = accepting((value) => typeof value === "function", "a function");

export const aWholeNumber: Check = accepting(Number.isSafeInteger, "a whole number");

export const aName: Check = accepting(
  (value) => typeof value === "string" && isName(value),
  "1 to 128 of A-Z a-z 0-9 . _ - (and not . or ..)",
);

/** A path that is not empty and reaches the system unaltered. */
export const aPath: Check = (field, value) => {
  if (typeof value !== "string" || value === "") refuseArgument(field, value, "a path");
  if (value.includes("\0")) refuseArgument(field, value, "a path without NUL");
  checkPath(value);
};

/** A number of milliseconds that a timer and a date can take. */
export const someTime: Check = accepting(
  (value) => typeof value === "number" && value >= 0 && value <= LAST_MOMENT_MS,
  "a number of milliseconds, 0 or more",
);

/** A moment as `Date.now()` gives it. */
export const aMoment: Check = accepting(
  (value) => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= LAST_MOMENT_MS,
  "whole milliseconds since 1970",
);

/** A whole number from `least` to `most`. */
export function aCount(least: number, most = Number.MAX_SAFE_INTEGER): Check {
  const wanted = most === Number.MAX_SAFE_INTEGER
    ? `a whole number of ${least} or more`
    : `a whole number from ${least} to ${most}`;
  return accepting(
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
    wanted,
  );
}

export function oneOf(values: readonly string[]): Check {
  return accepting(
    (value) => typeof value === "string" && values.includes(value),
    `one of ${values.join(", ")}`,
  );
}

/** Accepts undefined too. null is a value, and not one that anything accepts. */
export function optional(check: Check): Check {
  return (field, value) => {
    if (value !== undefined) check(field, value);
  };
}

export function listOf(check: Check, wanted: string): Check {
  return (field, value) => {
    if (!Array.isArray(value)) refuseArgument(field, value, wanted);
    value.forEach((each, at) => check(`${field}[${at}]`, each));
  };
}

/** An object whose values are strings, or undefined. */
export const textsByName: Check = (field, value) => {
  if (!isRecord(value)) refuseArgument(field, value, "strings by name");
  for (const key in value) optional(aText)(`${field}.${key}`, value[key]);
};

/** An object of exactly these fields, each accepted by its check. */
export function fields(checks: Readonly<Record<string, Check>>): Check {
  const known = Object.keys(checks);
  return (field, value) => {
    if (!isRecord(value)) refuseArgument(field, value, "an object");
    for (const key in value) {
      if (value[key] !== undefined && !known.includes(key)) {
        refuseArgument(`${field}.${key}`, value[key], `no such option; known: ${known.join(", ")}`);
      }
    }
    for (const key of known) checks[key]!(`${field}.${key}`, value[key]);
  };
}

/** A record that has at least these fields: one that the library made, and may extend. */
export function madeHere(checks: Readonly<Record<string, Check>>, wanted: string): Check {
  return (field, value) => {
    if (!isRecord(value)) refuseArgument(field, value, wanted);
    for (const key in checks) checks[key]!(`${field}.${key}`, value[key]);
  };
}
