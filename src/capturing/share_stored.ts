/** Shares what was just stored, if the store is shared. */

import { type FdEntry, findFd, formatFd, type SharedSide, type Store } from "../../fd/mod.ts";
import type { FdFailure } from "../../fd/system.ts";

/** A stored fd with the id that it has from now on. */
export interface SharedEntry {
  entry: FdEntry;
  /** Why other hosts cannot read it yet. */
  remarks: readonly string[];
}

/** Shares `entry`. A failure leaves it on this host, to be shared later (contract, Shared stores). */
export async function shareStored(store: Store, shared: SharedSide, entry: FdEntry): Promise<SharedEntry> {
  const { id, failure } = await shared.share(entry.id);
  return {
    entry: id === entry.id ? entry : findFd(store, formatFd(id)),
    remarks: shared.isShared(id) ? [] : [notSharedRemark(failure)],
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
