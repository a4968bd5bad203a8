/**
 * Closing what was only read, or is given up, can lose nothing, so a fault in it is no failure. Closing what was written
 * can (network file systems report a full disk there), and does not come here.
 *
 * @module
 */

import { disk } from "./disk.ts";
import { systemCode } from "./errors.ts";

/** Closes a file whose content is safe or of no more use. */
export function closeReader(file: number): void {
  try {
    disk.close(file);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
}
