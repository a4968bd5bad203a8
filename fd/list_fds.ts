/**
 * All fds of a store.
 *
 * @module
 */

import { disk } from "./disk.ts";
import { fail, failureOfSystem, systemCode } from "./errors.ts";
import { entryOf, type FdEntry } from "./find_fd.ts";
import type { Store } from "./open_store.ts";
import { readLog } from "./record_log.ts";
import { shardsPath } from "./store_paths.ts";
import { join } from "node:path";

/** Every fd that was not removed, oldest first. */
export function listFds(store: Store): FdEntry[] {
  const entries: FdEntry[] = [];
  for (const id of listIds(store)) {
    const log = readLog(store, id);
    if (log !== undefined && log.tomb === undefined) entries.push(entryOf(store, id, log));
  }
  return entries;
}

/** Every id that was ever claimed, in order. */
export function listIds(store: Store): number[] {
  return listShards(store).flatMap((shard) => {
    const ids: number[] = [];
    for (const name of namesIn(join(shardsPath(store.path), shard))) {
      if (name.endsWith(".rec")) ids.push(Number(name.slice(0, -".rec".length)));
    }
    return ids.filter((id) => Number.isSafeInteger(id) && id > 0).sort((a, b) => a - b);
  });
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
    if (systemCode(thrown) === "ENOENT") return [];
    return fail(failureOfSystem(thrown, "read", "list", path));
  }
}
