import { disk } from "./disk.ts";
import { systemCode } from "./errors.ts";

/**
 * Moves a new index into place, ignoring system errors: an index that was not moved is rebuilt when needed,
 * and the leftover file is deleted by gc.
 */
export function moveIfPossible(from: string, to: string): void {
  try {
    disk.rename(from, to);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
}
