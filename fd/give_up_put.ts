/**
 * Ending what cannot be completed: a write that failed half-way leaves an fd that says so, and no descriptor open.
 *
 * @module
 */

import { FdError } from "./errors.ts";

/** What is being written, as far as giving it up goes: a `Put`. */
interface Unfinished {
  seal(end: { incomplete: true }): unknown;
}

/** Ends `put` as incomplete. Where even that cannot be written, the fd is one whose writer died. */
export function giveUpPut(put: Unfinished): void {
  try {
    put.seal({ incomplete: true });
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
  }
}
