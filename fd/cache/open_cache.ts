/**
 * Opens the cache of a shared store: an ordinary store (FORMAT.md) whose parts are fetched when they are needed.
 *
 * @module
 */

import { fail, FdError } from "../disk/errors.ts";
import type { SharedPart, SharedRecord, SharedRecords, Sharing } from "../store/missing_part.ts";
import { openStore, type Store, type StoreLimits } from "../store/open_store.ts";
import { readLog } from "../records/record_log.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import { cacheSide, type CacheUse, type Exchange } from "./shared_side.ts";
import { fetchBlocks, fetchIndex, fetchRecord } from "./fetch_part.ts";
import { type PendingUpload, takeOverPending } from "../shared/pending_upload.ts";
import { placeName, placeNames } from "./place_names.ts";
import { listSharedNames, readSharedName } from "../shared/shared_names.ts";
import { hostname } from "node:os";
import type { CleanReport } from "../shared/clean_shared.ts";
import type { OnUnreadable } from "../records/look_at_shard.ts";
import { boundCache, boundSometimes, type CacheSize, sizeOfCache } from "./bound_cache.ts";
import { type Identity, readIdentity } from "./connect_store.ts";
import {
  allPending,
  isUploadDue,
  knownAs,
  knownId,
  pendingOf,
  pendingSinceMs,
  sharePending,
} from "./share_fd.ts";
import { noteReachable } from "./unreachable_mark.ts";
import { shareInTime, shareWhileLive, type TimeLimits } from "./share_in_time.ts";
import { pendingDirectory } from "../store/store_paths.ts";

/** An open cache. */
export interface Cache {
  /** The cache as a store: readers get what they lack. */
  readonly store: Store;
  readonly use: CacheUse;
  /** The fds of this host that are still to be shared. */
  pending(): PendingUpload[];
  facts(): CacheFacts;
  /** Whether fds wait to be shared, and no process has tried to for a while. Notes that one does now. */
  isUploadDue(nowMs: number): boolean;
  /** Bounds the cache, if that was not done for a while. */
  bound(nowMs: number): void;
  /** Cleans the shared store for all hosts, and bounds the cache. */
  clean(onUnreadable: OnUnreadable): Promise<CleanReport & { cacheBytesFreed: number }>;
  /** Fetches a part, in this process. What cannot be reached but is in the cache stays as it is. */
  get(part: SharedPart): Promise<SharedRecords | undefined>;
  /**
   * Shares the sealed fd of a note while a caller waits. If that fails, its id stays for ever. Undefined if another process
   * has the note.
   */
  share(name: string): Promise<Sharing | undefined>;
  /** Binds a name for all hosts; returns the id it was bound to before. */
  bind(name: string, id: number): Promise<number | undefined>;
  /** Removes an fd for all hosts, and from this cache. */
  remove(id: number, why: string): Promise<void>;
  /** Shares the fd of a note, however long that takes, also while it is still written. Undefined as above. */
  upload(name: string, onClaimed: (id: number) => void): Promise<number | undefined>;
}

/** Facts about a shared store and its cache that need no request. */
export interface CacheFacts {
  /** Undefined until the store was reached once. */
  identity: Identity | undefined;
  size: CacheSize;
  boundBytes: number;
  highestId: number;
  /** The fds that are not shared yet, and when they were stored. */
  pending: { id: number; sinceMs: number }[];
}

/** Options of {@link openCache}. */
export interface CacheOptions extends TimeLimits {
  path: string;
  limits(): StoreLimits;
  use: CacheUse;
  /** The most bytes that the cache may take; 0 for no bound. */
  boundBytes(): number;
  /** Does what this process has to wait for. */
  exchange: Exchange;
  /** Connects with the shared store; called once, when that is needed. */
  connect(store: Store): Promise<ObjectStore>;
}

/** @throws {FdError} like {@link openStore}. */
export function openCache(options: CacheOptions): Cache {
  const { path, limits, use, exchange, connect } = options;
  const opened = openStore(path);
  const local: Store = {
    path: opened.path,
    get limits() {
      return limits();
    },
  };
  let connected: Promise<ObjectStore> | undefined;
  const objects = () => connected ??= connect(local);
  const share = (pending: PendingUpload): Promise<Sharing> => shareInTime(local, objects, pending, options);
  /** Shares an fd that is still pending, before other hosts hear of it. */
  const shareFirst = async (id: number): Promise<void> => {
    const note = pendingOf(local, id);
    const pending = note && takeOverPending(pendingDirectory(local.path), note.name);
    if (pending !== undefined) await sharePending(local, await objects(), pending);
  };
  const side = cacheSide(local, exchange, use, {
    sealed: share,
    live: (pending) => shareWhileLive(local, pending, options),
  });
  const store: Store = {
    path: opened.path,
    shared: side,
    get limits() {
      return limits();
    },
  };
  return {
    store,
    use,
    pending: () => allPending(local),
    facts: () => ({
      identity: readIdentity(local),
      size: sizeOfCache(local),
      boundBytes: options.boundBytes(),
      highestId: knownId(local)?.id ?? 0,
      pending: allPending(local).map((pending) => ({
        id: knownAs(pending),
        sinceMs: pendingSinceMs(local, pending),
      })),
    }),
    isUploadDue: (nowMs) => isUploadDue(local, nowMs),
    bound: (nowMs) => boundSometimes(local, options.boundBytes(), nowMs),
    async clean(onUnreadable) {
      const { cleanShared } = await import("../shared/clean_shared.ts");
      const { readSharedStore } = await import("../shared/store_object.ts");
      const limits = await readSharedStore(await objects()) ??
        fail({ kind: "store_unfit", store: path, promise: "answers", found: "its own object is gone" });
      const report = await cleanShared(await objects(), limits, {
        host: hostname(),
        newNonce: newHexNonce,
        onUnreadable,
      });
      return { ...report, cacheBytesFreed: boundCache(local, options.boundBytes(), Date.now()) };
    },
    async get(part) {
      let records: SharedRecords | undefined;
      try {
        records = await fetchPart(local, await objects(), part);
      } catch (thrown) {
        if (!isUnreachable(thrown)) throw thrown;
        if (part.kind === "records") records = { records: [], failure: thrown.failure };
        else if (!isInCache(local, part)) throw thrown;
      }
      side.settle(part, records);
      return records;
    },
    async share(name) {
      const pending = takeOverPending(pendingDirectory(local.path), name);
      return pending === undefined ? undefined : await share(pending);
    },
    async bind(name, id) {
      await shareFirst(id);
      const { bindSharedName } = await import("../shared/shared_names.ts");
      const before = await bindSharedName(await objects(), name, id, newHexNonce);
      placeName(local, name, { name, id, boundMs: Date.now() });
      return before;
    },
    async remove(id, why) {
      await shareFirst(id);
      const { removeShared } = await import("../shared/remove_shared.ts");
      await removeShared(await objects(), id, why);
    },
    async upload(name, onClaimed) {
      const pending = takeOverPending(pendingDirectory(local.path), name);
      if (pending === undefined) return undefined;
      try {
        const id = await sharePending(local, await objects(), pending, onClaimed);
        noteReachable(local);
        return id;
      } catch (thrown) {
        pending.release();
        throw thrown;
      }
    },
  };
}

async function fetchPart(
  store: Store,
  objects: ObjectStore,
  part: SharedPart,
): Promise<SharedRecords | undefined> {
  switch (part.kind) {
    case "record":
      await fetchRecord(store, objects, part.id);
      return undefined;
    case "index":
      await fetchIndex(store, objects, part.id, part.block);
      return undefined;
    case "block":
      await fetchBlocks(store, objects, part.id, part.block, part.blockCount ?? 1);
      return undefined;
    case "name": {
      placeName(store, part.name, await readSharedName(objects, part.name));
      return undefined;
    }
    case "names":
      placeNames(store, await listSharedNames(objects));
      return undefined;
    case "records":
      return { records: await fetchRecords(objects, part.most, knownId(store)?.id) };
  }
}

async function fetchRecords(
  objects: ObjectStore,
  most: number | undefined,
  known: number | undefined,
): Promise<readonly SharedRecord[]> {
  const onUnreadable = fail;
  const { listAllShared, listNewestShared } = await import("../shared/list_shared.ts");
  return most === undefined
    ? await listAllShared(objects, onUnreadable, known)
    : await listNewestShared(objects, most, onUnreadable, known);
}

/** Whether reading can go on with what the cache has of a part. */
function isInCache(store: Store, part: SharedPart): boolean {
  switch (part.kind) {
    case "record":
      return readLog(store, part.id) !== undefined;
    case "index":
    case "block":
      return false;
    default:
      return true;
  }
}

function isUnreachable(thrown: unknown): thrown is FdError {
  return thrown instanceof FdError && isRemoteFailure(thrown.failure.kind);
}

function isRemoteFailure(kind: string): boolean {
  return kind === "store_unreachable" || kind === "store_denied";
}

function newHexNonce(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
