/**
 * The store cleans itself in passing (SPEC section 3, Limits): now and then, while something is being stored, since what
 * is still live is never removed.
 *
 * @module
 */

import { FdError, type FdFailure, sweepSometimes } from "../../fd/mod.ts";
import type { Keeping } from "./keep_output.ts";

/** Cleans the store that `keeping` writes to, if it is time to. Answers what kept it from being cleaned. */
export async function sweepStore(keeping: Keeping): Promise<FdFailure[]> {
  const store = keeping.store();
  if (store === undefined) return [];
  try {
    await sweepSometimes(store, Date.now());
    return [];
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return [thrown.failure];
  }
}
