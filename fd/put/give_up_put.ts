/** Ends puts that failed: the fd is recorded as incomplete, and no descriptor stays open. */

import { FdError } from "../disk/errors.ts";
import type { PutEnd } from "../records/seal_line.ts";

/** The part of `Put` used here. */
interface Unfinished {
  isEnded: boolean;
  seal(end: PutEnd): unknown;
  abandon(): void;
}

/**
 * Seals `put` as incomplete, with its `end` as far as known, unless it has ended. If even that fails, the fd is left
 * like one whose writer died.
 */
export function giveUpPut(put: Unfinished, end: PutEnd = {}): void {
  if (put.isEnded) return;
  try {
    put.seal({ ...end, incomplete: true });
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
  } finally {
    put.abandon();
  }
}
