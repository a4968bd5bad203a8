/** Rare uses of a shared store through its cache. */

import { hostname } from "node:os";
import { countsOfToday } from "../../disk/day_counts.ts";
import { fail } from "../../disk/errors.ts";
import type { OnProgress } from "../../disk/on_progress.ts";
import type { OnUnreadable } from "../../records/look_at_shard.ts";
import { momentNow } from "../../records/record_line.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import { type CleanReport, cleanShared } from "../objects/clean_shared.ts";
import { type Giver, takeOverPending } from "../objects/pending_upload.ts";
import { hexOf } from "../../bytes/utf8_bytes.ts";
import { removeShared } from "../objects/remove_shared.ts";
import { bindSharedName } from "../objects/shared_names.ts";
import { changeLimits, readSharedStore } from "../objects/store_object.ts";
import type { Store } from "../../store/open_store.ts";
import { countsDirectory, pendingDirectory } from "../../store/cache_paths.ts";
import { boundCache, sizeOfCache } from "./bound_cache.ts";
import { readIdentity } from "./connect_store.ts";
import { allPending, emptyNotes, knownId, pendingOf, pendingSinceMs } from "./pending_fds.ts";
import { placeName } from "./place_parts.ts";
import { sharePending } from "./share_fd.ts";
import { noteReachable } from "./marks.ts";

/** Returns facts about a shared store and its cache that need no request. */
export function factsOf(store: Store, boundBytes: number) {
  const empty = emptyNotes(store);
  const today = (log: string) => countsOfToday(countsDirectory(store.path), log);
  return {
    /** Undefined until the store was reached once. */
    identity: readIdentity(store),
    size: sizeOfCache(store),
    boundBytes,
    highestId: knownId(store)?.id ?? 0,
    /** The fds that are not shared yet, and when they were stored. */
    pending: allPending(store).filter(({ name }) => !empty.includes(name)).map((pending) => ({
      id: pending.id,
      sinceMs: pendingSinceMs(store, pending),
    })),
    /** Requests that this host sent today, errors of them, and fds that it shared, by kind. */
    today: { requests: today("requests"), errors: today("errors"), shared: today("shared") },
    /** How many notes there are about fds that were never stored. */
    emptyNoteCount: empty.length,
  };
}

export async function cleanAll(
  store: Store,
  objects: ObjectStore,
  boundBytes: number,
  onUnreadable: OnUnreadable,
): Promise<CleanReport & { cacheBytesFreed: number }> {
  const limits = await readSharedStore(objects) ??
    fail({ kind: "store_unfit", store: store.path, promise: "answers", found: "its own object is gone" });
  const report = await cleanShared(objects, limits, { host: hostname(), newNonce, onUnreadable });
  if (report.isFull !== undefined && report.isFull !== limits.isFull) {
    await changeLimits(objects, { isFull: report.isFull });
  }
  return { ...report, cacheBytesFreed: boundCache(store, boundBytes, Date.now()) };
}

/** Shares an fd that is still pending, before other hosts can see its name. */
async function shareFirst(store: Store, objects: ObjectStore, id: number): Promise<void> {
  const note = pendingOf(store, id);
  const pending = note && takeOverPending(pendingDirectory(store.path), note.name);
  if (pending !== undefined) await sharePending(store, objects, pending);
}

export async function bindShared(
  store: Store,
  objects: ObjectStore,
  name: string,
  id: number,
): Promise<number | undefined> {
  await shareFirst(store, objects, id);
  const before = await bindSharedName(objects, name, id, newNonce);
  placeName(store, name, { name, id, boundMs: momentNow() });
  return before;
}

export async function removeFromAll(
  store: Store,
  objects: ObjectStore,
  id: number,
  why: string,
): Promise<void> {
  await shareFirst(store, objects, id);
  await removeShared(objects, id, why);
}

export interface UploadOptions {
  giver?: Giver | undefined;
  /** The first bytes of an fd that is still being written, which no size limit can replace. */
  stableBytes?: number;
  onClaimed?: (id: number) => void;
  onProgress?: OnProgress;
}

export async function uploadFd(
  store: Store,
  objects: () => Promise<ObjectStore>,
  name: string,
  options: UploadOptions,
): Promise<number | undefined> {
  const pending = takeOverPending(pendingDirectory(store.path), name, options.giver);
  if (pending === undefined) return undefined;
  try {
    const id = await sharePending(store, await objects(), pending, options);
    noteReachable(store);
    return id;
  } catch (thrown) {
    pending.release();
    throw thrown;
  }
}

function newNonce(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(16)));
}
