/**
 * All fds of a store.
 *
 * @module
 */

import { join } from "node:path";
import { disk } from "./disk.ts";
import { fail, failureOfSystem, systemCode } from "./errors.ts";
import type { FdEntry } from "./fd_entry.ts";
import { entryOf } from "./find_fd.ts";
import type { Store } from "./open_store.ts";
import { readLog } from "./record_log.ts";
import { readListing, refreshListing } from "./shard_listing.ts";
import { shardName, shardsPath } from "./store_paths.ts";

/** Every fd that was not removed, oldest first. */
export function listFds(store: Store): FdEntry[] {
  return listShards(store).flatMap((shard) => {
    const names = namesIn(join(shardsPath(store.path), shard));
    const listing = readListing(store, shard);
    const withContent = new Set(names.filter((name) => name.endsWith(".dat")));
    let knownCount = 0;
    const entries: FdEntry[] = [];
    for (const id of idsAmong(names, ".rec")) {
      const known = withContent.has(`${id}.dat`) ? listing.get(id) : undefined;
      if (known !== undefined) {
        knownCount++;
        entries.push(known);
        continue;
      }
      const log = readLog(store, id);
      if (log !== undefined && log.tomb === undefined) entries.push(entryOf(store, id, log));
    }
    refreshListing(store, shard, entries, knownCount);
    return entries;
  });
}

/** Every id that was ever claimed, in order. */
export function listIds(store: Store): number[] {
  return listIdsWith(store, ".rec");
}

/** Every id that has content, in order: those of {@link listFds}, and removed ones whose removal was interrupted. */
export function listContentIds(store: Store): number[] {
  return listIdsWith(store, ".dat");
}

function listIdsWith(store: Store, ending: string): number[] {
  return listShards(store).flatMap((shard) =>
    idsAmong(namesIn(join(shardsPath(store.path), shard)), ending).filter((id) => shardName(id) === shard)
  );
}

/** The ids of the files with this ending, in order. */
function idsAmong(names: readonly string[], ending: string): number[] {
  return names
    .filter((name) => name.endsWith(ending))
    .map((name) => Number(/^([1-9][0-9]*)\./.exec(name)?.[1]))
    .filter((id) => Number.isSafeInteger(id))
    .sort((a, b) => a - b);
}

/** The names of the shard directories, in the order of their ids. */
export function listShards(store: Store): string[] {
  return namesIn(shardsPath(store.path))
    .filter((name) => /^[0-9]{4,}$/.test(name))
    .sort((a, b) => Number(a) - Number(b));
}

/** The names in a directory; none where it is not there. */
export function namesIn(path: string): string[] {
  try {
    return disk.readdir(path) as string[];
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT" || systemCode(thrown) === "ENOTDIR") return [];
    return fail(failureOfSystem(thrown, "read", "list", path));
  }
}
