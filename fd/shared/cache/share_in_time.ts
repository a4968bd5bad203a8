/**
 * Shares an fd while a caller waits for its answer. Small ones are shared by this process, others by one of their own,
 * which runs on after the caller has its answer.
 */

import { disk } from "../../disk/disk.ts";
import { atEnd, failureIn, FdError, ifPossible } from "../../disk/errors.ts";
import { readLog } from "../../records/record_log.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import { MAX_INSIDE_BYTES } from "../objects/fd_object.ts";
import { type PendingUpload, takeOverPending } from "../objects/pending_upload.ts";
import type { Sharing } from "../../store/backend.ts";
import type { Store } from "../../store/open_store.ts";
import { pendingDirectory } from "../../store/cache_paths.ts";
import { contentPath, indexPath, packPath, recordPath } from "../../store/store_paths.ts";
import { noteUnreachable, unreachable, wasUnreachable } from "./marks.ts";
import { makeShard } from "./place_parts.ts";
import { overQuota, sharePending } from "./share_fd.ts";

/** A process that shares an fd. */
export interface Uploader {
  /** The id that the fd won; undefined if the process ended without one. */
  claimed: Promise<number | undefined>;
  /** The id of the fd once it is shared; undefined if the process ended before. */
  done: Promise<number | undefined>;
  /** Stops it, and waits until it has ended. */
  stop(): Promise<void>;
  /** Lets it run on when this process ends. */
  leave(): void;
}

export interface TimeLimits {
  /** How long a call waits. */
  waitMs: number;
  /** Starts a process that shares the fd of a note; its first `stableBytes` while it is written. */
  startUploader(name: string, stableBytes: number): Uploader;
}

/** Shares the fd of a note that this process owns, which is sealed. */
export async function shareInTime(
  store: Store,
  objects: () => Promise<ObjectStore>,
  pending: PendingUpload,
  limits: TimeLimits,
): Promise<Sharing> {
  const byteCount = readLog(store, pending.localId)?.seal?.bytes ?? 0;
  if (byteCount <= MAX_INSIDE_BYTES) return await shareHere(store, objects, pending, limits);
  return await awaitUploader(store, pending, limits.startUploader(pending.name, Infinity), limits);
}

async function shareHere(
  store: Store,
  objects: () => Promise<ObjectStore>,
  pending: PendingUpload,
  { waitMs }: TimeLimits,
): Promise<Sharing> {
  if (wasUnreachable(store)) {
    return { id: keepOffline(pending), failure: unreachable("share the fd").failure };
  }
  const late = new AbortController();
  const shared = async () => await sharePending(store, abortable(await objects(), late.signal), pending);
  try {
    const id = await within(shared(), waitMs);
    if (id === undefined) throw lateFailure(waitMs);
    return { id };
  } catch (thrown) {
    const failure = failureIn(thrown);
    // A request that is still running must not delete the note.
    late.abort(lateFailure(waitMs));
    if (failure.kind !== "over_quota") noteUnreachable(store);
    return { id: keepOffline(pending), failure };
  }
}

/** Makes the local id permanent, and returns it; the fd is shared under it later. */
export function keepOffline(pending: PendingUpload): number {
  if (pending.offlineId === undefined) pending.goOffline(pending.localId);
  pending.release();
  return pending.localId;
}

function lateFailure(waitMs: number): FdError {
  return unreachable("share the fd", `no answer within ${waitMs / 1000} s`);
}

/** Makes the requests of a store fail once `signal` is aborted, even if they are answered. */
function abortable(objects: ObjectStore, signal: AbortSignal): ObjectStore {
  const unlessAborted =
    <Args extends unknown[], Answer>(send: (...args: Args) => Promise<Answer>) => async (...args: Args) => {
      const answer = await send.apply(objects, args);
      signal.throwIfAborted();
      return answer;
    };
  const { get, head, create, replace, put, remove, list } = objects;
  return {
    ...objects,
    get: unlessAborted(get),
    head: unlessAborted(head),
    create: unlessAborted(create),
    replace: unlessAborted(replace),
    put: unlessAborted(put),
    remove: unlessAborted(remove),
    list: unlessAborted(list),
  };
}

/**
 * Waits for a process that shares the sealed fd of a note that this process owns too; it goes on when the time is up.
 */
export async function awaitUploader(
  store: Store,
  pending: PendingUpload,
  uploader: Uploader,
  limits: TimeLimits,
): Promise<Sharing> {
  using _pending = atEnd(pending.release);
  const doneId = await within(uploader.done, limits.waitMs);
  if (doneId !== undefined) return { id: doneId };
  const { failure } = overQuota(store) ?? lateFailure(limits.waitMs);
  const claimedId = await within(uploader.claimed, 0);
  return { id: await leaveRunning(store, pending, uploader, claimedId, Infinity, limits), failure };
}

/** Returns the id from now on of an fd whose uploader has claimed one in time, or else lets another uploader go on. */
async function leaveRunning(
  store: Store,
  pending: PendingUpload,
  uploader: Uploader,
  claimedId: number | undefined,
  stableBytes: number,
  { startUploader }: TimeLimits,
): Promise<number> {
  if (claimedId !== undefined) {
    // The uploader finds the files under both ids.
    linkFiles(store, pending.localId, claimedId);
    uploader.leave();
    return claimedId;
  }
  await uploader.stop();
  const id = settleId(store, pending, await uploader.claimed);
  startUploader(pending.name, stableBytes).leave();
  return id;
}

/** Shares the fd of a note that this process owns while it is written. Returns its id from now on. */
export async function shareWhileLive(
  store: Store,
  pending: PendingUpload,
  stableBytes: number,
  limits: TimeLimits,
): Promise<number> {
  if (wasUnreachable(store) || overQuota(store) !== undefined) return keepOffline(pending);
  using _pending = atEnd(pending.release);
  const uploader = limits.startUploader(pending.name, stableBytes);
  const claimedId = await within(uploader.claimed, limits.waitMs);
  if (claimedId === undefined && overQuota(store) === undefined) noteUnreachable(store);
  return await leaveRunning(store, pending, uploader, claimedId, stableBytes, limits);
}

/** Returns `result` if it comes within the time, else undefined. */
async function within<Result>(result: Promise<Result>, ms: number): Promise<Result | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  return await Promise.race([result, late]).finally(() => clearTimeout(timer));
}

/**
 * Returns the id of the fd of a note that this process owns, and had a process of its own share, which has ended.
 * `claimedId` is the id which that process reported: it may have ended before it could note it, or after all was done.
 */
function settleId(store: Store, { name, localId }: PendingUpload, claimedId: number | undefined): number {
  const own = takeOverPending(pendingDirectory(store.path), name, "self");
  if (own === undefined) return claimedId ?? localId;
  if (own.claimedId === undefined && claimedId !== undefined) own.noteClaimed(claimedId);
  if (own.claimedId !== undefined) linkFiles(store, localId, own.claimedId);
  else if (own.offlineId === undefined) own.goOffline(localId);
  own.release();
  return own.id;
}

/**
 * Gives the files of `id`, which may still be written, the id that the fd won as a second name: both names are the same
 * files until the fd is shared.
 */
function linkFiles(store: Store, id: number, won: number): void {
  makeShard(store, won);
  for (const path of [contentPath, packPath, indexPath, recordPath]) {
    ifPossible(() => disk.link(path(store.path, id), path(store.path, won)));
  }
}
