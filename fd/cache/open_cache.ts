/**
 * Opens the cache of a shared store: an ordinary store (FORMAT.md) whose parts are fetched before they are read.
 */

import type { FdFailure } from "../failures.ts";
import { disk } from "../disk/disk.ts";
import { statIfPossible } from "../disk/file_calls.ts";
import { fail, failureIn, failureOfSystem } from "../disk/errors.ts";
import type { OnUnreadable } from "../records/look_at_shard.ts";
import { readLog } from "../records/record_log.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import type { StoreAddress } from "../remote/store_url.ts";
import { type PendingUpload, startPending } from "../shared/pending_upload.ts";
import { cachedBlocks, cachedEntries } from "../slices/cached_content.ts";
import { type Backend, LOCAL, type Part, type RemoteRecords } from "../store/backend.ts";
import { NEEDED_SOURCES } from "../records/record_line.ts";
import { isKeptOnHost, offlineId } from "../store/fd_id.ts";
import {
  type Environment,
  limit,
  limitsFrom,
  makeStore,
  openStore,
  type Store,
} from "../store/open_store.ts";
import { pendingDirectory } from "../store/cache_paths.ts";
import { contentPath, packPath, recordPath } from "../store/store_paths.ts";
import type { UploadOptions } from "./change_shared.ts";
import { noteUnreachable, pin, unreachable, wasUnreachable } from "./marks.ts";
import { readOrigin, RECORD_MS } from "./origin_file.ts";
import {
  allPending,
  dropEmptyNote,
  emptyNotes,
  isUploadDue,
  knownAs,
  knownId,
  pendingOf,
} from "./pending_fds.ts";
import type { Trial } from "./connect_store.ts";
import type { TimeLimits, Uploader } from "./share_in_time.ts";

/** Options of {@link openCache}. */
export interface CacheOptions extends TimeLimits {
  path: string;
  address: StoreAddress;
  env: Environment;
  /** Whether parts may be put into memory if the disk is full, which ends with the call. */
  mayMove: boolean;
  /** Whether parts that may be out of date are asked for however new they are. */
  isFresh: boolean;
  /** Whether a call that stores something waits until a store that is new was tried. */
  triesFirst: boolean;
  /** The most bytes that the cache may take; 0 for no bound. */
  boundBytes(): number;
}

/** How long a long-running process reuses names, lists and records that it fetched. */
const SETTLED_MS = 2000;

/** @throws {FdError} like {@link openStore}. */
export function openCache(options: CacheOptions) {
  const { path, address, env, mayMove, isFresh } = options;
  const opened = openStore(path);
  /** The directory for parts: in memory if the disk is full, for the reason `full`. */
  let place = opened.path;
  let full: FdFailure | undefined;
  const local: Store = {
    backend: LOCAL,
    get path() {
      return place;
    },
    get limits() {
      const wanted = "bytes a day, such as 1073741824 or 1G";
      // What this host shares in a day; 0 for no limit.
      return { ...limitsFrom(env), shareBytes: limit(env, "FDTOOL_SHARE_QUOTA", 0, wanted) };
    },
  };
  let connected: Promise<ObjectStore> | undefined;
  const connect = async (trial?: Trial) =>
    await (await import("./connect_store.ts")).connectStore(local, address, env, trial);
  const objects = () => connected ??= connect();
  // Loaded when needed: reading cached content needs none of it.
  const rare = () => import("./change_shared.ts");
  const sharing = () => import("./share_in_time.ts");
  let hasGrown = false;

  /** Ids of records that were fetched: a move to memory fetches them again. */
  const asked = new Set<number>();
  const settledAt = new Map<string, number>();
  const failed = new Map<string, FdFailure>();
  /** Why parts could not be asked for of which the cached copy counts. */
  const unasked = new Map<string, FdFailure>();
  let all: RemoteRecords = { records: [] };
  /** Notes about fds that this call writes, by id, until they are shared. */
  const started = new Map<number, PendingUpload>();
  /** Fds that could not be shared because of a quota. */
  const refused = new Set<number>();
  const uploads = new Map<number, { pending: PendingUpload; uploader: Uploader }>();

  const moveToMemory = async (why: FdFailure): Promise<void> => {
    const { memoryDirectory } = await import("./bound_cache.ts");
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
      if (readLog(local, id) === undefined) fail(full);
      return;
    }
    const { makeRoomFor } = await import("./bound_cache.ts");
    if (!mayMove || makeRoomFor(local, id)) return;
    const noSpace = Object.assign(new Error(), { code: "ENOSPC" });
    await moveToMemory(failureOfSystem(noSpace, "write", "cache what was fetched", place));
  };
  /** Fetches a part. If the store cannot be reached, what is in the cache counts. */
  const load = async (part: Part): Promise<void> => {
    let records: RemoteRecords | undefined;
    try {
      hasGrown = true;
      const { fetchWithRoom } = await import("./fetch_part.ts");
      try {
        records = await fetchWithRoom(local, objects, part);
      } catch (thrown) {
        const isPiece = part.kind === "block" || part.kind === "index";
        const failure = failureIn(thrown, "storage_full");
        if (!mayMove || full !== undefined || isPiece) throw thrown;
        await moveToMemory(failure);
        records = await fetchWithRoom(local, objects, part);
      }
      if (part.kind === "record") await keepRoom(part.id);
    } catch (thrown) {
      const failure = failureIn(thrown, "store_unreachable", "store_denied");
      if (failure.kind === "store_unreachable") noteUnreachable(local);
      if (part.kind === "records") records = { records: [], failure };
      else if (isFresh || !isInCache(local, part)) throw thrown;
      else unasked.set(keyOf(part), failure);
    }
    settledAt.set(keyOf(part), performance.now());
    if (records !== undefined) all = records;
  };
  const isAtHand = (part: Part): boolean => {
    if (part.kind === "block") return hasContent(local, part.id) || isKeptOnHost(part.id);
    const settledMs = settledAt.get(keyOf(part));
    if (settledMs !== undefined && performance.now() - settledMs < SETTLED_MS) return true;
    if (part.kind !== "record") return false;
    // What is in the cache is not asked for again while the store does not answer.
    return isCurrent(local, part.id, isFresh) ||
      !isFresh && statIfPossible(recordPath(place, part.id)) !== undefined && wasUnreachable(local);
  };

  const backend: Backend = {
    async refresh(part) {
      const key = keyOf(part);
      failed.delete(key);
      if (isAtHand(part)) return;
      unasked.delete(key);
      await load(part.kind === "block" ? { kind: "record", id: part.id } : part)
        .catch((thrown) => failed.set(key, failureIn(thrown)));
    },
    check(part) {
      const failure = failed.get(keyOf(part));
      if (failure !== undefined) fail(failure);
    },
    staleness: (part) => unasked.get(keyOf(part)),
    fetched: (id) =>
      isKeptOnHost(id) || pendingOf(local, id) !== undefined ? undefined : {
        entries: (index, reopen) => cachedEntries(load, id, index, reopen),
        blocks: (index, prepareEntries, read) => cachedBlocks(load, id, index, prepareEntries, read),
      },
    records: () => all,
    highestId: () => knownId(local)?.id ?? 0,
    takeId(source) {
      // What a call stores must stay.
      if (full !== undefined) fail(full);
      const isKept = NEEDED_SOURCES.includes(source);
      const id = offlineId(isKept);
      if (!isKept) {
        makeStore(local);
        const nonce = crypto.getRandomValues(new Uint8Array(16));
        started.set(id, startPending(pendingDirectory(place), nonce, { localId: id }));
      }
      return id;
    },
    writerElsewhere(id) {
      if (isKeptOnHost(id) || pendingOf(local, id) !== undefined) return undefined;
      return readOrigin(local, id)?.live ?? { host: undefined, asOfMs: Date.now(), isDead: false };
    },
    unshared(id) {
      if (refused.has(id)) return "over_quota";
      const isPending = isKeptOnHost(id) || allPending(local).some((pending) => knownAs(pending) === id);
      return isPending ? "pending" : undefined;
    },
    grow(id, stableBytes) {
      const pending = started.get(id);
      if (pending === undefined || wasUnreachable(local)) return;
      started.delete(id);
      hasGrown = true;
      uploads.set(id, { pending, uploader: options.startUploader(pending.name, stableBytes) });
    },
    get host() {
      return process.getBuiltinModule("node:os").hostname();
    },
    async share(id) {
      const upload = uploads.get(id);
      const pending = started.get(id);
      uploads.delete(id);
      started.delete(id);
      if (upload === undefined && pending === undefined) return { id };
      const { awaitUploader, shareInTime } = await sharing();
      hasGrown = true;
      const inTime = () => connected ?? connect(options.triesFirst ? "needed" : "no time");
      const result = upload === undefined
        ? await shareInTime(local, inTime, pending!, options)
        : await awaitUploader(local, upload.pending, upload.uploader, options);
      if (result.failure?.kind === "over_quota") refused.add(result.id);
      return result;
    },
    async shareLive(id, stableBytes) {
      const pending = started.get(id);
      if (pending === undefined) return id;
      started.delete(id);
      return await (await sharing()).shareWhileLive(local, pending, stableBytes, options);
    },
    async bind(name, id) {
      if (wasUnreachable(local)) throw unreachable("bind the name");
      return await (await rare()).bindShared(local, await objects(), name, id);
    },
    removal(id) {
      if (isKeptOnHost(id)) return undefined;
      return async (why) => await (await rare()).removeFromAll(local, await objects(), id, why);
    },
    pin: (id) => pin(local, id),
    isDoneWhenSealed: false,
    keepsSmallInRecords: false,
    hasWholeFiles: false,
  };
  return {
    /** The cache as a store. */
    store: {
      get path() {
        return place;
      },
      backend,
      get limits() {
        return limitsFrom(env);
      },
    },
    /** Makes the shared store if it is new, in an object store that was tried, or finds out which it is. */
    async connect() {
      await (connected ??= connect("done"));
    },
    /** The fds of this host that are not shared yet. Drops notes about fds that were never stored. */
    pending() {
      for (const name of emptyNotes(local)) dropEmptyNote(local, name);
      return allPending(local);
    },
    facts: async () => (await rare()).factsOf(local, options.boundBytes()),
    /** Whether fds wait to be shared, and no process has tried to for a while. Notes that one does now. */
    isUploadDue: (nowMs: number) => isUploadDue(local, nowMs),
    /** Deletes old files if this process added to the cache and it was not bounded for a while. */
    async bound(nowMs: number) {
      if (!hasGrown || full !== undefined) return;
      const { boundSometimes } = await import("./bound_cache.ts");
      boundSometimes(local, options.boundBytes(), nowMs);
    },
    /** Removes what the call has in memory. Fds that it stored and did not share keep their ids, and are shared later. */
    async close() {
      if (started.size > 0) {
        const { keepHere } = await sharing();
        for (const pending of started.values()) keepHere(pending);
      }
      for (const { pending, uploader } of uploads.values()) {
        pending.release();
        uploader.leave();
      }
      if (full !== undefined) disk.removeTree(place, { recursive: true, force: true });
    },
    /** Cleans the shared store for all hosts, and bounds the cache. */
    clean: async (onUnreadable: OnUnreadable) =>
      await (await rare()).cleanAll(local, await objects(), options.boundBytes(), onUnreadable),
    /** Shares the fd of a note, however long that takes. Undefined if another process has the note. */
    upload: async (name: string, how: UploadOptions) =>
      await (await rare()).uploadFd(local, objects, name, how),
  };
}

function keyOf(part: Part): string {
  return JSON.stringify(Object.values(part));
}

/** Whether the cached copy of a part is good enough to read. */
function isInCache(store: Store, part: Part): boolean {
  if (part.kind === "record") return readLog(store, part.id) !== undefined;
  return part.kind !== "index" && part.kind !== "block";
}

/** Whether the cache has a record that may be used without asking. */
function isCurrent(store: Store, id: number, isFresh: boolean): boolean {
  if (isKeptOnHost(id)) return true;
  const atMs = statIfPossible(recordPath(store.path, id))?.mtimeMs;
  if (atMs === undefined) return false;
  if (pendingOf(store, id) !== undefined) return true;
  const ageMs = Date.now() - atMs;
  return !isFresh && ageMs >= 0 && ageMs < RECORD_MS;
}

function hasContent(store: Store, id: number): boolean {
  return [contentPath, packPath].some((path) => statIfPossible(path(store.path, id)) !== undefined);
}
