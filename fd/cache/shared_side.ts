/**
 * The shared store as the readers and writers of its cache see it (`fd/store/missing_part.ts`): what is in the cache, how
 * old it is, and what is fetched next.
 */

import { disk } from "../disk/disk.ts";
import { FdError, systemCode } from "../disk/errors.ts";
import { type SharedPart, type SharedRecords, type SharedSide, type Sharing } from "../store/missing_part.ts";
import { cachedBlocks, cachedEntries } from "../slices/cached_content.ts";
import { NEEDED_SOURCES } from "../records/record_line.ts";
import { isKeptOnHost, offlineId } from "../store/fd_id.ts";
import { makeStore, type Store } from "../store/open_store.ts";
import { contentPath, packPath, pendingDirectory, recordPath } from "../store/store_paths.ts";
import type { Uploader } from "./share_in_time.ts";
import { type PendingUpload, startPending } from "../shared/pending_upload.ts";
import { keepId } from "./keep_id.ts";
import { pin } from "./touch.ts";
import { unreachable, wasUnreachable } from "./unreachable_mark.ts";
import { readOrigin, RECORD_MS } from "./origin_file.ts";
import { allPending, knownAs, knownId, pendingOf } from "./pending_fds.ts";

/** The work that another process does while this one waits. Throws `FdError`. */
export interface Exchange {
  /** Fetches a part into the cache; of all records, returns them. */
  get(part: SharedPart): SharedRecords | undefined;
  /** Shares the sealed fd of a note; returns its id from now on. */
  share(name: string): number | undefined;
  bind(name: string, id: number): number | undefined;
  remove(id: number, why: string): void;
}

/** How a process uses a cache. May be changed while it does. */
export interface CacheUse {
  /** Whether fds are shared with the answer that names them, and not as soon as they are sealed. */
  sharesLater: boolean;
  /** Whether parts may be put into memory if the disk is full, which ends with the call. */
  mayMove: boolean;
  /** Whether parts that may be out of date are asked for however new they are. */
  isFresh: boolean;
}

/** How fds that this process writes are shared. */
export interface Sharers {
  sealed(pending: PendingUpload): Promise<Sharing>;
  live(pending: PendingUpload, stableBytes: number): Promise<number>;
  /** Starts a process that shares an fd while it is written. */
  start(pending: PendingUpload, stableBytes: number): Uploader;
  /** Waits for that process, after the fd was sealed. */
  started(pending: PendingUpload, uploader: Uploader): Promise<Sharing>;
}

/** A side, and what its process learns meanwhile. */
export interface CacheSide extends SharedSide {
  /** Notes that a part was asked for; what was found counts for a while. */
  settle(part: SharedPart, records?: SharedRecords): void;
}

/** How long a long-running process reuses names, lists and records that it fetched. */
const SETTLED_MS = 2000;

/** Blocks that are fetched at most: 8 MiB. */
const MAX_BLOCKS = 256;

/** How often a part that is not right is fetched. */
const MAX_TRIES = 2;

/** Returns the side of the cache `store`, which is given without one. */
export function cacheSide(
  store: Store,
  exchange: Exchange,
  use: CacheUse,
  sharers: Sharers,
  load: (part: SharedPart) => Promise<void>,
  refuseIfFull: () => void,
): CacheSide {
  const settledAt = new Map<string, number>();
  const tries = new Map<string, number>();
  const ahead = new Map<number, { nextBlock: number; blockCount: number }>();
  const begun = new Map<number, PendingUpload>();
  const uploads = new Map<number, { pending: PendingUpload; uploader: Uploader }>();
  let all: SharedRecords = { records: [] };

  const failed = new Map<string, FdError>();
  const isSettled = (part: SharedPart): boolean => {
    const atMs = settledAt.get(keyOf(part));
    return atMs !== undefined && performance.now() - atMs < SETTLED_MS;
  };
  const isAtHand = (part: SharedPart): boolean => {
    if (part.kind === "block") return hasContent(store, part.id) || isKeptOnHost(part.id);
    if (isSettled(part)) return true;
    if (part.kind !== "record") return false;
    // What is in the cache is not asked for again while the store does not answer.
    return isCurrent(store, part.id, use.isFresh) ||
      !use.isFresh && hasRecord(store, part.id) && wasUnreachable(store);
  };
  const settle = (part: SharedPart, records?: SharedRecords): void => {
    settledAt.set(keyOf(part), performance.now());
    if (records !== undefined) all = records;
  };
  const get = (part: SharedPart): void => {
    settle(part, exchange.get(part));
  };

  return {
    settle,
    async prepare(part) {
      const key = keyOf(part);
      failed.delete(key);
      if (isAtHand(part)) return;
      try {
        await load(part.kind === "block" ? { kind: "record", id: part.id } : part);
      } catch (thrown) {
        if (!(thrown instanceof FdError)) throw thrown;
        failed.set(key, thrown);
      }
    },
    need(part) {
      const failure = failed.get(keyOf(part));
      if (failure !== undefined) throw failure;
      // What was prepared counts for all of the call.
      if (settledAt.has(keyOf(part)) || isAtHand(part)) return;
      get(part.kind === "block" ? { kind: "record", id: part.id } : part);
    },
    renew(part) {
      if (part.kind !== "block" && part.kind !== "index") return false;
      if (isKeptOnHost(part.id) || pendingOf(store, part.id) !== undefined) return false;
      const key = keyOf(part);
      const tried = tries.get(key) ?? 0;
      if (tried === MAX_TRIES) return false;
      tries.set(key, tried + 1);
      if (part.kind === "index") {
        get(part);
        return true;
      }
      const before = ahead.get(part.id);
      const isNext = before?.nextBlock === part.block;
      const blockCount = isNext ? Math.min(MAX_BLOCKS, before.blockCount * 8) : MAX_BLOCKS;
      ahead.set(part.id, { nextBlock: part.block + blockCount, blockCount });
      get({ ...part, blockCount });
      return true;
    },
    fetches: (id) => !isKeptOnHost(id) && pendingOf(store, id) === undefined,
    entriesOf: (id, index, reopen) => cachedEntries(load, id, index, reopen),
    blocksOf: (id, index, prepareEntries, read) => cachedBlocks(load, id, index, prepareEntries, read),
    records: () => all,
    highestId: () => knownId(store)?.id ?? 0,
    offlineId(source) {
      // What a call stores must stay.
      refuseIfFull();
      const isKept = NEEDED_SOURCES.includes(source);
      const id = offlineId(isKept);
      if (!isKept) {
        makeStore(store);
        const nonce = crypto.getRandomValues(new Uint8Array(16));
        begun.set(id, startPending(pendingDirectory(store.path), nonce, { localId: id }));
      }
      return id;
    },
    writtenElsewhere(id) {
      if (isKeptOnHost(id) || pendingOf(store, id) !== undefined) return undefined;
      return readOrigin(store, id)?.live ?? { host: undefined, asOfMs: Date.now(), isDead: false };
    },
    isShared: (id) => !isKeptOnHost(id) && !allPending(store).some((pending) => knownAs(pending) === id),
    sealed(id) {
      const pending = begun.get(id);
      if (use.sharesLater || pending === undefined) return id;
      begun.delete(id);
      try {
        return exchange.share(pending.name) ?? keepId(store, pending);
      } catch (thrown) {
        if (!(thrown instanceof FdError)) throw thrown;
        return keepId(store, pending);
      } finally {
        pending.release();
      }
    },
    grows(id, stableBytes) {
      const pending = begun.get(id);
      // A process that waits for others where it is cannot wait for that one.
      if (pending === undefined || !use.sharesLater || wasUnreachable(store)) return;
      begun.delete(id);
      uploads.set(id, { pending, uploader: sharers.start(pending, stableBytes) });
    },
    async share(id) {
      const upload = uploads.get(id);
      if (upload !== undefined) {
        uploads.delete(id);
        return await sharers.started(upload.pending, upload.uploader);
      }
      const pending = begun.get(id);
      if (pending === undefined) return { id };
      begun.delete(id);
      return await sharers.sealed(pending);
    },
    async shareLive(id, stableBytes) {
      const pending = begun.get(id);
      if (pending === undefined) return id;
      begun.delete(id);
      return await sharers.live(pending, stableBytes);
    },
    bind(name, id) {
      if (wasUnreachable(store)) throw unreachable("bind the name");
      return exchange.bind(name, id);
    },
    remove: exchange.remove,
    pin: (id) => pin(store, id),
  };
}

function keyOf(part: SharedPart): string {
  return JSON.stringify(Object.values(part));
}

/** Whether the cache has a record that may be used without asking. */
function isCurrent(store: Store, id: number, isFresh: boolean): boolean {
  if (isKeptOnHost(id)) return true;
  const atMs = statOf(recordPath(store.path, id))?.mtimeMs;
  if (atMs === undefined) return false;
  if (pendingOf(store, id) !== undefined) return true;
  const ageMs = Date.now() - atMs;
  return !isFresh && ageMs >= 0 && ageMs < RECORD_MS;
}

function hasRecord(store: Store, id: number): boolean {
  return statOf(recordPath(store.path, id)) !== undefined;
}

function hasContent(store: Store, id: number): boolean {
  return (statOf(contentPath(store.path, id)) ?? statOf(packPath(store.path, id))) !== undefined;
}

function statOf(path: string) {
  try {
    return disk.lstat(path, { throwIfNoEntry: false });
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return undefined;
  }
}
