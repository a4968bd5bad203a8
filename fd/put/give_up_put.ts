/**
 * Ending what cannot be completed: a write that failed half-way leaves an fd that says so, and no descriptor open.
 *
 * @module
 */

import { FdError } from "../disk/errors.ts";
import type { PutEnd } from "../records/seal_line.ts";

/** What is being written, as far as giving it up goes: a `Put`. */
interface Unfinished {
  isEnded: boolean;
  seal(end: PutEnd): unknown;
  abandon(): void;
}

/** Ends `put` as incomplete, with what is known of its `end`, unless it is ended. Where even that cannot be written, the fd is one whose writer died. */
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
