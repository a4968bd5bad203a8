/** Chooses the fds of a cache that a forked store can have whole. */

import { ifPossible } from "../disk/errors.ts";
import type { FdFailure } from "../failures.ts";
import { fetchWhole } from "../packing/plain_file.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { entryOf } from "../records/find_fd.ts";
import { listIds } from "../records/list_fds.ts";
import { readLog, type RecordLog } from "../records/record_log.ts";
import { usedContent } from "../slices/open_content.ts";
import type { SharedSide } from "../store/missing_part.ts";
import { isKeptOnHost, isOffline } from "../store/fd_id.ts";
import type { Store } from "../store/open_store.ts";
import { pendingIds } from "./pending_fds.ts";

/** Fds of a cache for another store. */
export interface CachedFds {
  ids: readonly number[];
  /** The highest known counted id of the shared store; random ids are left out. */
  highestId: number;
  /** Fds of the shared store that are not among them; undefined if the store was not reached, or not asked. */
  leftOutCount?: number | undefined;
  /** Why the shared store could not be asked. */
  failure?: FdFailure | undefined;
}

/** Chooses ended fds that are whole in the cache, tombstones, and everything that only this host has. */
export async function chooseCached(store: Store, shared: SharedSide): Promise<CachedFds> {
  await shared.prepare({ kind: "records" });
  shared.need({ kind: "records" });
  const { records, failure } = shared.records();
  const shelf = new Set<number>();
  for (const { id, log } of records) if ((log as RecordLog).tomb === undefined) shelf.add(id);
  const own = pendingIds(store);
  const cached: Store = { ...store, shared: { ...shared, need() {}, fetches: () => false } };
  const ids = listIds(store).filter((id) => {
    const isOwn = own.has(id) || isKeptOnHost(id);
    return isThere(cached, id, isOwn, isOwn || failure !== undefined || shelf.has(id));
  });
  for (const id of ids) shelf.delete(id);
  const leftOutCount = failure === undefined ? shelf.size : undefined;
  return { ids, highestId: highestKnown(store, shared), leftOutCount, failure };
}

function isThere(cached: Store, id: number, isOwn: boolean, isListed: boolean): boolean {
  return ifPossible(() => {
    const log = readLog(cached, id);
    if (log === undefined || log.tomb !== undefined) return log !== undefined;
    if (isOwn) return true;
    if (!isListed || log.seal === undefined) return false;
    using content = usedContent(cached, entryOf(cached, id, log));
    for (let number = 0; number < content.index.blockCount; number++) content.block(number);
    return true;
  }) ?? false;
}

/**
 * Fetches all of `entries` that have ended. Of others there is what has arrived.
 *
 * @throws {FdError} `store_unreachable` if a part is not in the cache.
 */
export async function fetchGiven(
  store: Store,
  shared: SharedSide,
  entries: readonly FdEntry[],
): Promise<CachedFds> {
  await shared.prepare({ kind: "records", most: 1 });
  shared.need({ kind: "records", most: 1 });
  const highestId = highestKnown(store, shared);
  for (const entry of entries) {
    if (entry.elsewhere === undefined && entry.state !== "live") await fetchWhole(store, entry);
  }
  return { ids: entries.map(({ id }) => id).sort((a, b) => a - b), highestId };
}

/** Random ids are far above counted ones and are never reused. */
function highestKnown(store: Store, shared: SharedSide): number {
  let highest = shared.highestId();
  for (const { id } of shared.records().records) if (!isOffline(id) && id > highest) highest = id;
  for (const id of listIds(store)) if (!isOffline(id) && id > highest) highest = id;
  return highest;
}
