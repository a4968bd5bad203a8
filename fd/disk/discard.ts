/** Deletes temporary files. */

import { FdError, systemCode } from "./errors.ts";
import { unlinkIfExists } from "./unlink_if_exists.ts";

/** Deletes a temporary file if possible. What stays is deleted by a later cleanup. */
export function discard(path: string): void {
  try {
    unlinkIfExists(path);
  } catch (thrown) {
    if (!(thrown instanceof FdError) && systemCode(thrown) === undefined) throw thrown;
  }
}
