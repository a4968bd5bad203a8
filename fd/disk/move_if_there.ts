/**
 * Moving what can be made again.
 *
 * @module
 */

import { disk } from "./disk.ts";
import { systemCode } from "./errors.ts";

/** Moves a new index into place. One that stays behind is litter, and is rebuilt when needed: no failure is reported. */
export function moveIfThere(from: string, to: string): void {
  try {
    disk.rename(from, to);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
}
