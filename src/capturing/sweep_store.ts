/**
 * The store cleans itself in passing (contract, The store): now and then, when something has been stored. The answer
 * does not wait for it, and what it tells of stays.
 *
 * @module
 */

import process from "node:process";
import { FdError, type FdFailure, isSweepDue, sweepSometimes } from "../../fd/mod.ts";
import type { Kept } from "./keep_output.ts";

/** Signals that ask for an end. Cleaning is nearly at it, and the exit code is that of the work before it. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Cleans the store that holds what was kept, if it is time to. Answers what kept it from being cleaned. */
export async function sweepStore(kept: readonly Kept[]): Promise<FdFailure[]> {
  const stored = kept.filter((each) => each.kind === "stored");
  const store = stored[0]?.store;
  const nowMs = Date.now();
  if (store === undefined || !isSweepDue(store, nowMs)) return [];
  const ignore = () => {};
  for (const signal of SIGNALS) process.on(signal, ignore);
  try {
    await sweepSometimes(store, nowMs, stored.map(({ entry }) => entry.id));
    return [];
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return [thrown.failure];
  } finally {
    for (const signal of SIGNALS) process.off(signal, ignore);
  }
}
