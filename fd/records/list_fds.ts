/** Lists the fds of a store. @module */

import { join } from "node:path";
import { parseDecimal } from "../bytes/decimal.ts";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem, FdError, type FdFailure, systemCode } from "../disk/errors.ts";
import type { FdEntry } from "./fd_entry.ts";
import { entryOf } from "./find_fd.ts";
import type { Store } from "../store/open_store.ts";
import { readLog } from "./record_log.ts";
import { readListing, refreshListing } from "./shard_listing.ts";
import { firstId, IDS_PER_SHARD, shardsPath } from "../store/store_paths.ts";

/** Called with the failure of a record that cannot be read. */
export type OnUnreadable = (failure: FdFailure) => void;

/**
 * Lists every fd that is not removed, oldest first. Records that cannot be read are reported to `onUnreadable` and
 * skipped.
 *
 * @throws {FdError} if a record cannot be read and `onUnreadable` is absent.
 */
export function listFds(store: Store, onUnreadable: OnUnreadable = fail): FdEntry[] {
  return listShards(store).flatMap((shard) => listShardFds(store, shard, onUnreadable));
}

function listShardFds(store: Store, shard: string, onUnreadable: OnUnreadable): FdEntry[] {
  const files = filesIn(store, shard);
  const first = firstId(shard);
  const known: (FdEntry | undefined)[] = new Array(IDS_PER_SHARD);
  for (const entry of readListing(store, shard)) {
    const place = entry.id - first;
    if (place >= 0 && place < IDS_PER_SHARD && files[place] === RECORD + CONTENT) known[place] = entry;
  }
  let knownCount = 0;
  const entries: FdEntry[] = [];
  for (let place = 0; place < IDS_PER_SHARD; place++) {
    if ((files[place]! & RECORD) === 0) continue;
    const entry = known[place];
    if (entry !== undefined) {
      knownCount++;
      entries.push(entry);
      continue;
    }
    const read = entryIn(store, first + place, onUnreadable);
    if (read !== undefined) entries.push(read);
  }
  refreshListing(store, shard, entries, knownCount);
  return entries;
}

/** Returns the entry of `id`, or undefined if it was removed or cannot be read. */
function entryIn(store: Store, id: number, onUnreadable: OnUnreadable): FdEntry | undefined {
  try {
    const log = readLog(store, id);
    return log === undefined || log.tomb !== undefined ? undefined : entryOf(store, id, log);
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    onUnreadable(thrown.failure);
    return undefined;
  }
}

/** Lists every id ever claimed, in order. */
export function listIds(store: Store): number[] {
  return listIdsWith(store, RECORD);
}

/** Lists every id that has content, in order: those of {@link listFds}, and fds whose removal was interrupted. */
export function listContentIds(store: Store): number[] {
  return listIdsWith(store, CONTENT);
}

function listIdsWith(store: Store, kind: number): number[] {
  const ids: number[] = [];
  for (const shard of listShards(store)) {
    const first = firstId(shard);
    filesIn(store, shard).forEach((kinds, place) => {
      if ((kinds & kind) !== 0) ids.push(first + place);
    });
  }
  return ids;
}

const RECORD = 1;
const CONTENT = 2;

/** For each id of a shard, from its first: {@link RECORD}, {@link CONTENT} or their sum. */
function filesIn(store: Store, shard: string): Uint8Array {
  const files = new Uint8Array(IDS_PER_SHARD);
  const first = firstId(shard);
  for (const name of namesIn(join(shardsPath(store.path), shard))) {
    const kind = name.endsWith(".dat") || name.endsWith(".pack")
      ? CONTENT
      : name.endsWith(".rec")
      ? RECORD
      : 0;
    if (kind === 0 || name.startsWith("0")) continue;
    const place = (parseDecimal(name.slice(0, name.lastIndexOf("."))) ?? -1) - first;
    if (place >= 0 && place < IDS_PER_SHARD) files[place]! |= kind;
  }
  return files;
}

/** Lists the names of the shard directories in the order of their ids. */
export function listShards(store: Store): string[] {
  return namesIn(shardsPath(store.path))
    .filter((name) => /^[0-9]{4,}$/.test(name))
    .sort((a, b) => Number(a) - Number(b));
}

/** Lists the names in a directory; none if it does not exist. */
export function namesIn(path: string): string[] {
  try {
    return disk.readdir(path) as string[];
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT" || systemCode(thrown) === "ENOTDIR") return [];
    return fail(failureOfSystem(thrown, "read", "list", path));
  }
}
