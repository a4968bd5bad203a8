/** Follows storing: sharing, if the store is shared, and now and then cleaning. */

import process from "node:process";
import { type FdEntry, findFd, formatFd, isSweepDue, type Store, sweepSometimes } from "../../fd/mod.ts";
import { failureIn, type FdFailure } from "../../fd/system.ts";
import type { StoredOutput } from "./store_output.ts";

/** Ignored during cleaning, which is nearly done; the exit code must be that of the work before it. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Cleans the store of `stored` output if that is due: the answer does not wait for it, and the fds it names stay. Returns
 * why it was not completely cleaned.
 */
export async function sweepStore(stored: readonly StoredOutput[]): Promise<FdFailure[]> {
  const store = stored[0]?.store;
  const nowMs = Date.now();
  if (store === undefined || !isSweepDue(store, nowMs)) return [];
  const ids: number[] = [];
  for (const { entry } of stored) ids.push(entry.id);
  const ignore = () => {};
  for (const signal of SIGNALS) process.on(signal, ignore);
  try {
    const report = await sweepSometimes(store, nowMs, ids);
    if (report === undefined || report.doubtedCount === 0) return [];
    const { doubtedCount, clockAheadMs } = report;
    return [{ kind: "clock_doubted", doubtedCount, clockAheadMs }];
  } catch (thrown) {
    return [failureIn(thrown)];
  } finally {
    for (const signal of SIGNALS) process.off(signal, ignore);
  }
}

/** A stored fd with the id that it has from now on. */
export interface SharedEntry {
  entry: FdEntry;
  /** Why other hosts cannot read it yet. */
  remarks: readonly string[];
}

/** Shares `entry`. A failure leaves it on this host, to be shared later (contract, Shared stores). */
export async function shareStored(store: Store, entry: FdEntry): Promise<SharedEntry> {
  const { backend } = store;
  if (backend.isDoneWhenSealed) return { entry, remarks: [] };
  const { id, failure } = await backend.share(entry.id);
  return {
    entry: id === entry.id ? entry : findFd(store, formatFd(id)),
    remarks: backend.unshared(id) === undefined ? [] : [notSharedRemark(failure)],
  };
}

/** Says that an fd is only on this host, and why. */
function notSharedRemark(failure: FdFailure | undefined): string {
  const why = failure === undefined ? "" : `: ${reasonOf(failure)}`;
  return `Not shared yet${why}. It is on this host, and shared by a later call or by fdtool sync.`;
}

function reasonOf(failure: FdFailure): string {
  if (failure.kind === "store_corrupt") return failure.what;
  return "reason" in failure ? failure.reason : failure.kind;
}
