/** Refuses wrong arguments with a typed failure. Their types are checked where strangers call (`fd/library/`). */

import { refuse } from "./errors.ts";

/** Maximum length of a wrong value in a failure. */
const MAX_SHOWN = 40;

/** @throws {FdError} `invalid_parameter` for `field`. */
export function refuseArgument(field: string, value: unknown, wanted: string): never {
  refuse(field, shown(value), wanted);
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, MAX_SHOWN));
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "an array" : "an object";
}

/**
 * Refuses a path with half a surrogate pair: it has no UTF-8 form, would become U+FFFD, and two paths could
 * then name one file.
 *
 * @throws {FdError} `invalid_parameter`.
 */
export function checkPath(path: string): void {
  if (path.isWellFormed()) return;
  refuse("path", JSON.stringify(path), "a path that can be written as UTF-8");
}
