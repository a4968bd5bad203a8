/**
 * Closes files whose close errors don't matter: those only read, or given up. Files that were written are not
 * closed here: their close can fail with lost data (network file systems report a full disk there).
 */

import { disk } from "./disk.ts";
import { systemCode } from "./errors.ts";

/** Closes a file whose content is safe or no longer needed. Ignores system errors. */
export function closeReader(file: number): void {
  try {
    disk.close(file);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
}
