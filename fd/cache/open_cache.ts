/**
 * Opens the cache of a shared store: an ordinary store (FORMAT.md) whose parts are fetched when they are needed.
 */

import { disk } from "../disk/disk.ts";
import { failureOfSystem, FdError } from "../disk/errors.ts";
import type { SharedPart, SharedRecords, Sharing } from "../store/missing_part.ts";
import { openStore, type Store, type StoreLimits } from "../store/open_store.ts";
import { readLog } from "../records/record_log.ts";
import type { OnUnreadable } from "../records/look_at_shard.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import type { CleanReport } from "../shared/clean_shared.ts";
import type { PendingUpload } from "../shared/pending_upload.ts";
import type { CacheFacts } from "./cache_facts.ts";
import type { UploadOptions } from "./change_shared.ts";
import { allPending, isUploadDue } from "./pending_fds.ts";
import type { TimeLimits } from "./share_in_time.ts";
import { cacheSide, type CacheUse, type Exchange } from "./shared_side.ts";
import { noteUnreachable } from "./unreachable_mark.ts";

/** An open cache. */
export interface Cache {
  /** The cache as a store; missing parts are fetched when they are read. */
  readonly store: Store;
  readonly use: CacheUse;
  /** The fds of this host that are not shared yet. */
  pending(): PendingUpload[];
  facts(): Promise<CacheFacts>;
  /** Whether fds wait to be shared, and no process has tried to for a while. Notes that one does now. */
  isUploadDue(nowMs: number): boolean;
  /** Deletes old files if this process added to the cache and it was not bounded for a while. */
  bound(nowMs: number): Promise<void>;
  /** Removes what the call has in memory. */
  close(): void;
  /** Cleans the shared store for all hosts, and bounds the cache. */
  clean(onUnreadable: OnUnreadable): Promise<CleanReport & { cacheBytesFreed: number }>;
  /** Fetches a part, in this process. What cannot be reached but is in the cache stays as it is. */
  get(part: SharedPart): Promise<SharedRecords | undefined>;
  /**
   * Shares the sealed fd of a note of the process that started this one, while a caller waits. If that fails, its id stays
   * for ever. Undefined if another process has the note.
   */
  share(name: string): Promise<Sharing | undefined>;
  /** Binds a name for all hosts; returns the id it was bound to before. */
  bind(name: string, id: number): Promise<number | undefined>;
  /** Removes an fd for all hosts, and from this cache. */
  remove(id: number, why: string): Promise<void>;
  /** Shares the fd of a note, however long that takes. Undefined if another process has the note. */
  upload(name: string, options: UploadOptions): Promise<number | undefined>;
}

/** Options of {@link openCache}. */
export interface CacheOptions extends TimeLimits {
  path: string;
  limits(): StoreLimits;
  use: CacheUse;
  /** The most bytes that the cache may take; 0 for no bound. */
  boundBytes(): number;
  /** Runs a job that this process waits for. */
  exchange: Exchange;
  /** Connects with the shared store; called once, when that is needed. */
  connect(store: Store): Promise<ObjectStore>;
}

/** @throws {FdError} like {@link openStore}. */
export function openCache(options: CacheOptions): Cache {
  const { path, limits, use, exchange, connect } = options;
  const opened = openStore(path);
  /** The directory for parts: in memory if the disk is full, for the reason `full`. */
  let place = opened.path;
  let full: FdError | undefined;
  const asked = new Set<number>();
  const local: Store = {
    get path() {
      return place;
    },
    get limits() {
      return limits();
    },
  };
  let connected: Promise<ObjectStore> | undefined;
  const objects = () => connected ??= connect(local);
  // Loaded when needed: reading cached content needs none of it.
  const rare = () => import("./change_shared.ts");
  let hasGrown = false;
  const share = async (pending: PendingUpload): Promise<Sharing> => {
    hasGrown = true;
    const { shareInTime } = await import("./share_in_time.ts");
    return await shareInTime(local, objects, pending, options);
  };
  const moveToMemory = async (why: FdError): Promise<void> => {
    const { memoryDirectory } = await import("./cache_in_memory.ts");
    place = memoryDirectory(why);
    full = why;
    connected = undefined;
    const { fetchWithRoom } = await import("./fetch_part.ts");
    for (const id of asked) await fetchWithRoom(local, objects, { kind: "record", id });
  };
  /** Moves to memory before content is read that the disk has no room for. */
  const keepRoom = async (id: number): Promise<void> => {
    asked.add(id);
    if (full !== undefined) {
      if (readLog(local, id) === undefined) throw full;
      return;
    }
    const { makeRoomFor } = await import("./cache_in_memory.ts");
    if (!use.mayMove || makeRoomFor(local, id)) return;
    const noSpace = Object.assign(new Error(), { code: "ENOSPC" });
    await moveToMemory(new FdError(failureOfSystem(noSpace, "write", "cache what was fetched", place)));
  };
  const get = async (part: SharedPart): Promise<SharedRecords | undefined> => {
    let records: SharedRecords | undefined;
    try {
      hasGrown = true;
      const { fetchWithRoom } = await import("./fetch_part.ts");
      try {
        records = await fetchWithRoom(local, objects, part);
      } catch (thrown) {
        if (
          !isFull(thrown) || !use.mayMove || full !== undefined || part.kind === "block" ||
          part.kind === "index"
        ) throw thrown;
        await moveToMemory(thrown);
        records = await fetchWithRoom(local, objects, part);
      }
      if (part.kind === "record") await keepRoom(part.id);
    } catch (thrown) {
      if (!isUnreachable(thrown)) throw thrown;
      if (thrown.failure.kind === "store_unreachable") noteUnreachable(local);
      if (part.kind === "records") records = { records: [], failure: thrown.failure };
      else if (use.isFresh || !isInCache(local, part)) throw thrown;
    }
    side.settle(part, records);
    return records;
  };
  const side = cacheSide(
    local,
    exchange,
    use,
    {
      sealed: share,
      start(pending, stableBytes) {
        hasGrown = true;
        return options.startUploader(pending.name, stableBytes);
      },
      async started(pending, uploader) {
        const { awaitUploader } = await import("./share_in_time.ts");
        return await awaitUploader(local, pending, uploader, options);
      },
      async live(pending, stableBytes) {
        const { shareWhileLive } = await import("./share_in_time.ts");
        return await shareWhileLive(local, pending, stableBytes, options);
      },
    },
    async (part) => void await get(part),
    () => {
      if (full !== undefined) throw full;
    },
  );
  const store: Store = {
    get path() {
      return place;
    },
    shared: side,
    get limits() {
      return limits();
    },
  };
  return {
    store,
    use,
    pending: () => allPending(local),
    facts: async () => (await rare()).factsOf(local, options.boundBytes()),
    isUploadDue: (nowMs) => isUploadDue(local, nowMs),
    async bound(nowMs) {
      if (!hasGrown || full !== undefined) return;
      const { boundSometimes } = await import("./bound_cache.ts");
      boundSometimes(local, options.boundBytes(), nowMs);
    },
    close() {
      if (full !== undefined) disk.removeTree(place, { recursive: true, force: true });
    },
    clean: async (onUnreadable) =>
      await (await rare()).cleanAll(local, await objects(), options.boundBytes(), onUnreadable),
    get,
    async share(name) {
      const pending = (await rare()).takeOver(local, name, "parent");
      return pending === undefined ? undefined : await share(pending);
    },
    bind: async (name, id) => await (await rare()).bindShared(local, await objects(), name, id),
    remove: async (id, why) => await (await rare()).removeFromAll(local, await objects(), id, why),
    upload: async (name, options) => await (await rare()).uploadFd(local, objects, name, options),
  };
}

function isFull(thrown: unknown): thrown is FdError {
  return thrown instanceof FdError && thrown.failure.kind === "storage_full";
}

/** Whether the cached copy of a part is good enough to read. */
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
