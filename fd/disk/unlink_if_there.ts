/**
 * Removing what may already be gone.
 *
 * @module
 */

import { disk } from "./disk.ts";
import { fail, failureOfSystem, systemCode } from "./errors.ts";

/** Removes a file; answers whether it was there. */
export function unlinkIfThere(path: string): boolean {
  try {
    disk.unlink(path);
    return true;
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return false;
    return fail(failureOfSystem(thrown, "write", "remove", path));
  }
}
