/** Checks that a path reaches the system unaltered. */

import { checkText } from "./check_argument.ts";
import { fail } from "./errors.ts";

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
