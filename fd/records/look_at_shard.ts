/** Finds out which fds of a shard are not removed, by its listing as far as that holds, else by their records. */

import { join } from "node:path";
import { parseDecimal } from "../bytes/decimal.ts";
import { disk } from "../disk/disk.ts";
import { failureIn, ifPossible } from "../disk/errors.ts";
import type { FdFailure } from "../failures.ts";
import { namesIn } from "../disk/file_calls.ts";
import type { FdEntry } from "./fd_entry.ts";
import { entryOf } from "./find_fd.ts";
import type { Store } from "../store/open_store.ts";
import { readLog } from "./record_log.ts";
import {
  openListing,
  readRemoved,
  type ShardListing,
  type WantedEntries,
  writeListing,
} from "./shard_listing.ts";
import { firstId, REMOVED_NAME } from "../store/further_paths.ts";
import { IDS_PER_SHARD, shardsPath } from "../store/store_paths.ts";

/** Called with the failure of a record that cannot be read. */
export type OnUnreadable = (failure: FdFailure) => void;

/** The fds of a shard. */
interface ShardLook {
  /** 1 for each place (id, counted from the shard's first) whose fd is not removed. */
  isThere: Uint8Array;
  /** Those that the listing does not have, the ones that are still written among them. */
  unlisted: FdEntry[];
  /** Returns the entries of these places, by place; those of unwanted parts of the listing are null. */
  entriesFrom(wanted: WantedEntries): (FdEntry | null | undefined)[];
}

/** How many sealed fds must be missing from a listing before it is rewritten. */
const WORTH_WRITING = 64;
/** A directory that changed more recently may change again within the same step of its time. */
const QUIET_MS = 2000;

/** A shard's directory, when it changed, and its listing. */
function openShard(store: Store, shard: string) {
  const directory = join(shardsPath(store.path), shard);
  // Before anything is read: what changes later makes the time another one.
  const changed = ifPossible(() => disk.stat(directory, { throwIfNoEntry: false }));
  return { directory, directoryMs: changed?.mtimeMs ?? NaN, listing: openListing(store, shard) };
}

/** Looks at a shard by its listing alone; undefined if none holds: reading records takes a hundred times as long. */
export function lookAtListing(
  store: Store,
  shard: string,
  onUnreadable: OnUnreadable,
  { directoryMs, listing } = openShard(store, shard),
): ShardLook | undefined {
  if (listing?.isCurrent(directoryMs) !== true) return undefined;
  const others = readOthers(store, shard, listing.others, onUnreadable);
  const look = lookWith(store, shard, { listing, isListed: listing.isListed, others, onUnreadable });
  if (others.sealedCount > 0) writeListing(store, shard, { ...listedIn(look, others), directoryMs });
  return look;
}

/** Looks at a shard, and rewrites its listing if that is worth it. */
export function lookAtShard(store: Store, shard: string, onUnreadable: OnUnreadable): ShardLook {
  const opened = openShard(store, shard);
  const known = lookAtListing(store, shard, onUnreadable, opened);
  if (known !== undefined) return known;
  const { directory, directoryMs, listing } = opened;
  const names = namesIn(directory);
  const files = filesAmong(names, firstId(shard));
  const isListed = new Uint8Array(IDS_PER_SHARD);
  const unlisted: number[] = [];
  const removed = names.includes(REMOVED_NAME) ? readRemoved(store, shard) : NONE_REMOVED;
  let claimedCount = firstId(shard) === 0 ? 1 : 0;
  for (let place = 0; place < IDS_PER_SHARD; place++) {
    if ((files[place]! & RECORD) === 0) continue;
    claimedCount++;
    const hasContent = listing?.isInRecord[place] === 1
      ? removed?.has(firstId(shard) + place) === false
      : files[place] === RECORD + CONTENT;
    if (listing?.isListed[place] === 1 && hasContent) isListed[place] = 1;
    else unlisted.push(place);
  }
  const others = readOthers(store, shard, unlisted, onUnreadable);
  const look = lookWith(store, shard, { listing, isListed, others, onUnreadable });
  const isComplete = claimedCount === IDS_PER_SHARD;
  if (others.sealedCount >= WORTH_WRITING || isComplete && Date.now() - directoryMs >= QUIET_MS) {
    writeListing(store, shard, {
      ...listedIn(look, others),
      directoryMs: isComplete ? directoryMs : undefined,
    });
  }
  return look;
}

const NONE_REMOVED: ReadonlySet<number | undefined> = new Set();

/** The fds that a listing does not have. */
type Others = ReturnType<typeof readOthers>;

function readOthers(store: Store, shard: string, places: readonly number[], onUnreadable: OnUnreadable) {
  const others = {
    /** By place. */
    entries: new Map<number, FdEntry>(),
    sealedCount: 0,
    /** Places that are neither sealed nor removed. */
    unsettled: [] as number[],
  };
  const first = firstId(shard);
  for (const place of places) {
    let isUnreadable = false;
    const entry = entryIn(store, first + place, (failure) => {
      isUnreadable = true;
      onUnreadable(failure);
    });
    if (entry !== undefined) others.entries.set(place, entry);
    if (entry?.state === "sealed") others.sealedCount++;
    else if (entry !== undefined || isUnreadable) others.unsettled.push(place);
  }
  return others;
}

interface KnownFds {
  listing: ShardListing | undefined;
  /** 1 for each place whose entry is in the listing. */
  isListed: Uint8Array;
  others: Others;
  onUnreadable: OnUnreadable;
}

function lookWith(store: Store, shard: string, known: KnownFds): ShardLook {
  const { listing, isListed, others, onUnreadable } = known;
  const isThere = isListed.slice();
  for (const place of others.entries.keys()) isThere[place] = 1;
  return {
    isThere,
    unlisted: [...others.entries.values()],
    entriesFrom(wanted) {
      const { from, to } = wanted;
      const isAnyListed = isListed.indexOf(1, from) >= 0;
      const entries = isAnyListed ? listing!.entriesFrom(wanted) : new Array(IDS_PER_SHARD);
      for (let place = from; place < to; place++) {
        if (isListed[place] === 0) entries[place] = others.entries.get(place);
        // A part of the listing that is damaged.
        else if (entries[place] === undefined) {
          entries[place] = entryIn(store, firstId(shard) + place, onUnreadable);
        }
      }
      return entries;
    },
  };
}

export const ALL_PLACES: WantedEntries = { from: 0, to: IDS_PER_SHARD };

/** Selects the contents of a new listing. */
function listedIn(look: ShardLook, others: Others): { entries: FdEntry[]; others: number[] } {
  const entries: FdEntry[] = [];
  for (const entry of look.entriesFrom(ALL_PLACES)) if (entry?.state === "sealed") entries.push(entry);
  return { entries, others: others.unsettled };
}

/** Returns the entry of `id`, or undefined if it was removed or cannot be read. */
function entryIn(store: Store, id: number, onUnreadable: OnUnreadable): FdEntry | undefined {
  try {
    const log = readLog(store, id);
    return log === undefined || log.tomb !== undefined ? undefined : entryOf(store, id, log);
  } catch (thrown) {
    onUnreadable(failureIn(thrown));
    return undefined;
  }
}

export const RECORD = 1;
export const CONTENT = 2;

/** For each place of the shard whose first id is `first`: {@link RECORD}, {@link CONTENT} or their sum. */
export function filesAmong(names: readonly string[], first: number): Uint8Array {
  const files = new Uint8Array(IDS_PER_SHARD);
  for (const name of names) {
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
