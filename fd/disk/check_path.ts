/**
 * Refuses a path that the system would get altered.
 *
 * @module
 */

import { checkText } from "./check_argument.ts";
import { fail } from "./errors.ts";

/**
 * Half a surrogate pair has no UTF-8: each would become U+FFFD, and two paths one file.
 *
 * @throws {FdError} `invalid_parameter`.
 */
export function checkPath(path: string): void {
  checkText("path", path);
  if (path.isWellFormed()) return;
  const wanted = "a path that can be written as UTF-8";
  fail({ kind: "invalid_parameter", field: "path", got: JSON.stringify(path), wanted });
}
