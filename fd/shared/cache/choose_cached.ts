/** Chooses the fds of a cache that a forked store can have whole. */

import { ifPossible } from "../../disk/errors.ts";
import type { FdFailure } from "../../failures.ts";
import { fetchWhole } from "../../packing/plain_file.ts";
import type { FdEntry } from "../../records/fd_entry.ts";
import { entryOf } from "../../records/find_fd.ts";
import { listIds } from "../../records/list_fds.ts";
import { readLog, type RecordLog } from "../../records/record_log.ts";
import { usedContent } from "../../slices/open_content.ts";
import { LOCAL, type RemoteRecords } from "../../store/backend.ts";
import { highestId } from "../../store/claim_id.ts";
import { isKeptOnHost, isOffline } from "../../store/fd_id.ts";
import type { Store } from "../../store/open_store.ts";
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
export async function chooseCached(store: Store): Promise<CachedFds> {
  const { records, failure } = await recordsOf(store);
  const shelf = new Set<number>();
  for (const { id, log } of records) if ((log as RecordLog).tomb === undefined) shelf.add(id);
  const own = pendingIds(store);
  const cached: Store = { ...store, backend: LOCAL };
  const ids = listIds(store).filter((id) => {
    const isOwn = own.has(id) || isKeptOnHost(id);
    return isThere(cached, id, isOwn, isOwn || failure !== undefined || shelf.has(id));
  });
  for (const id of ids) shelf.delete(id);
  const leftOutCount = failure === undefined ? shelf.size : undefined;
  return { ids, highestId: highestKnown(store, records), leftOutCount, failure };
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
  entries: readonly FdEntry[],
): Promise<CachedFds> {
  const { records } = await recordsOf(store, 1);
  const highestId = highestKnown(store, records);
  for (const entry of entries) {
    if (entry.elsewhere === undefined && entry.state !== "live") await fetchWhole(store, entry);
  }
  return { ids: entries.map(({ id }) => id).sort((a, b) => a - b), highestId };
}

async function recordsOf({ backend }: Store, most?: number): Promise<RemoteRecords> {
  await backend.refresh({ kind: "records", most });
  backend.check({ kind: "records", most });
  return backend.records() ?? { records: [] };
}

/** Random ids are far above counted ones and are never reused. */
function highestKnown(store: Store, records: RemoteRecords["records"]): number {
  let highest = highestId(store);
  for (const { id } of records) if (!isOffline(id) && id > highest) highest = id;
  for (const id of listIds(store)) if (!isOffline(id) && id > highest) highest = id;
  return highest;
}
