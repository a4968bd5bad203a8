/** Lists the fds of a store. */

import { join } from "node:path";
import { fail } from "../disk/errors.ts";
import type { FdFailure } from "../failures.ts";
import { namesIn } from "../disk/file_calls.ts";
import type { FdEntry } from "./fd_entry.ts";
import { entryOf } from "./find_fd.ts";
import type { RecordLog } from "./record_log.ts";
import { isOffline } from "../store/fd_id.ts";
import type { Store } from "../store/open_store.ts";
import {
  ALL_PLACES,
  CONTENT,
  filesAmong,
  lookAtListing,
  lookAtShard,
  type OnUnreadable,
  RECORD,
} from "./look_at_shard.ts";
import type { WantedEntries } from "./shard_listing.ts";
import { firstId } from "../store/further_paths.ts";
import { IDS_PER_SHARD, shardsPath } from "../store/store_paths.ts";

/**
 * Lists every fd that is not removed, oldest first. Records that cannot be read are reported to `onUnreadable` and
 * skipped.
 *
 * @throws {FdError} if a record cannot be read and `onUnreadable` is absent.
 */
export function listFds(store: Store, onUnreadable: OnUnreadable = fail): FdEntry[] {
  return listNewestFds(store, {}, onUnreadable).entries;
}

/** Lists the fds that are still written, oldest first. Of shards with a listing, the records of the others are not read. */
export function listLiveFds(store: Store, onUnreadable: OnUnreadable = fail): FdEntry[] {
  const entries = remoteEntries(store, onUnreadable, undefined) ??
    listShards(store).flatMap((shard) => lookAtShard(store, shard, onUnreadable).unlisted);
  return entries.filter(({ state }) => state === "live");
}

/** Shards without a listing that are read for the count alone; each takes some 30 ms. */
const MOST_COUNTED = 2;

/**
 * Like {@link listFds}, but lists only the newest `most` older than `beforeId`. The others are only counted: `total` are all,
 * undefined if that was not asked of a shared store, or would take long; `olderCount` are those older than the given one,
 * without a total those found, which may be fewer.
 */
export function listNewestFds(
  store: Store,
  { most = Infinity, beforeId = Infinity }: { most?: number | undefined; beforeId?: number | undefined },
  onUnreadable: OnUnreadable = fail,
): { entries: FdEntry[]; total: number | undefined; olderCount: number } {
  const isCut = most < Infinity && beforeId === Infinity;
  // One more shows whether there are more.
  const remote = remoteEntries(store, onUnreadable, isCut ? most + 1 : undefined);
  if (remote !== undefined) {
    const older = remote.filter(({ id }) => id < beforeId);
    const total = isCut && remote.length > most ? undefined : remote.length;
    return { entries: older.slice(Math.max(0, older.length - most)), total, olderCount: older.length };
  }
  const newestFirst: FdEntry[][] = [];
  const unreadable: FdFailure[][] = [];
  let [total, olderCount, wanted] = [0, 0, most];
  let [countedShards, skippedCount, isTotal] = [0, 0, true];
  for (const shard of listShards(store).reverse()) {
    const failures: FdFailure[] = [];
    const report = (failure: FdFailure) => void failures.push(failure);
    const end = Math.max(0, Math.min(IDS_PER_SHARD, beforeId - firstId(shard)));
    const isForCount = wanted === 0 || end === 0;
    const known = isForCount ? lookAtListing(store, shard, report) : undefined;
    const isSkipped = isForCount && known === undefined && countedShards++ >= MOST_COUNTED;
    const look = known ?? (isSkipped ? undefined : lookAtShard(store, shard, report));
    if (look === undefined) {
      if (end > 0) skippedCount++;
      isTotal = false;
      continue;
    }
    const { isThere, entriesFrom } = look;
    let start = end;
    let [older, taken] = [0, 0];
    for (let place = IDS_PER_SHARD - 1; place >= 0; place--) {
      if (isThere[place] === 0) continue;
      total++;
      if (place >= end) continue;
      older++;
      if (taken === wanted) continue;
      taken++;
      start = place;
    }
    olderCount += older;
    wanted -= taken;
    const entries: FdEntry[] = [];
    if (taken > 0) {
      const inShard = entriesFrom({ from: start, to: end });
      for (let place = start; place < end; place++) {
        const entry = inShard[place];
        if (entry !== null && entry !== undefined) entries.push(entry);
      }
    }
    newestFirst.push(entries);
    unreadable.push(failures);
  }
  unreadable.reverse().flat().forEach(onUnreadable);
  const entries = newestFirst.reverse().flat();
  return { entries, total: isTotal ? total : undefined, olderCount: olderCount + skippedCount };
}

/** Records that are read at first. */
const FIRST_READ = 100;

/**
 * Yields all fds, newest first. Few are read if few are taken. An unreadable one may be reported more than once. With
 * `mayHave`, those are left out for whose JSON, some with others in one text of Latin-1, it is false.
 */
export function* newestFirst(
  store: Store,
  onUnreadable: OnUnreadable = () => {},
  mayHave?: WantedEntries["mayHave"],
): Generator<FdEntry, void> {
  if (store.backend.records() !== undefined) {
    yield* listNewestFds(store, { most: FIRST_READ }, onUnreadable).entries.toReversed();
    yield* listFds(store, onUnreadable).toReversed().slice(FIRST_READ);
    return;
  }
  for (const shard of listShards(store).reverse()) {
    const { isThere, entriesFrom } = lookAtShard(store, shard, onUnreadable);
    let end = isThere.lastIndexOf(1) + 1;
    for (const start of [Math.max(0, end - FIRST_READ), 0]) {
      const entries = end > start ? entriesFrom({ from: start, to: end, mayHave }).slice(start, end) : [];
      yield* entries.filter((entry) => entry !== null && entry !== undefined).reverse();
      end = start;
    }
  }
}

/** The fds of a shared store, which its cache need not have, and those that only this host has; undefined of a local store. */
function remoteEntries(
  store: Store,
  onUnreadable: OnUnreadable,
  most: number | undefined,
): FdEntry[] | undefined {
  const { backend } = store;
  backend.check({ kind: "records", most });
  const remote = backend.records();
  if (remote === undefined) return undefined;
  const { records, failure } = remote;
  const entries: FdEntry[] = [];
  if (failure !== undefined) onUnreadable(failure);
  for (const { id, log } of records) {
    // The listing has decoded it.
    const record = log as RecordLog;
    if (record.tomb === undefined) entries.push(entryOf(store, id, record));
  }
  const own: FdEntry[] = [];
  for (const shard of listShards(store)) {
    if (!isOffline(firstId(shard) + IDS_PER_SHARD)) continue;
    for (const entry of lookAtShard(store, shard, onUnreadable).entriesFrom(ALL_PLACES)) {
      if (entry !== null && entry !== undefined && backend.unshared(entry.id) !== undefined) own.push(entry);
    }
  }
  // Their ids are random.
  return [...entries, ...own.sort((a, b) => a.createdMs - b.createdMs)];
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
    filesAmong(namesIn(join(shardsPath(store.path), shard)), first).forEach((kinds, place) => {
      if ((kinds & kind) !== 0) ids.push(first + place);
    });
  }
  return ids;
}

/** Lists the names of the shard directories in the order of their ids. */
export function listShards(store: Store): string[] {
  return namesIn(shardsPath(store.path))
    .filter((name) => /^[0-9]{4,}$/.test(name))
    .sort((a, b) => Number(a) - Number(b));
}
