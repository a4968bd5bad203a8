/**
 * Shares fds of this host: their objects are created in the shared store, and their files get the ids that they won.
 */

import { hostname } from "node:os";
import { countsOfToday, countToday } from "../../disk/day_counts.ts";
import { disk } from "../../disk/disk.ts";
import { atEnd, attempt, fail, failCorrupt, FdError, ifPossible } from "../../disk/errors.ts";
import type { OnProgress } from "../../disk/on_progress.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import type { PendingUpload } from "../objects/pending_upload.ts";
import { publishFd, type UploadSource } from "../objects/publish_fd.ts";
import { STORE_KEY } from "../objects/shared_keys.ts";
import { readSharedStore } from "../objects/store_object.ts";
import { writeHint } from "../../store/claim_id.ts";
import { formatFd, isOffline } from "../../store/fd_id.ts";
import type { Store } from "../../store/open_store.ts";
import { countsDirectory, fullPath, identityPath, othersPath } from "../../store/cache_paths.ts";
import {
  contentPath,
  FD_NUMBERS,
  indexPath,
  packPath,
  recordPath,
  shardPath,
} from "../../store/store_paths.ts";
import { closeReader, inFile, isThere, readAt, unlinkIfExists } from "../../disk/file_calls.ts";
import { readIdentity } from "./connect_store.ts";
import { isRecent, touch } from "./marks.ts";
import { knownId } from "./pending_fds.ts";
import { makeShard } from "./place_parts.ts";
import { BLOCK_BYTES } from "../../bytes/block_sum.ts";
import { openReader } from "../../disk/private_files.ts";
import { entryOf } from "../../records/find_fd.ts";
import { readLog } from "../../records/record_log.ts";
import { openContent } from "../../slices/open_content.ts";
import { readCheckedLog } from "../../store/checked_log.ts";

/** Shares the fd of a note that this process owns, once it has ended. Returns its id from now on. */
export async function sharePending(
  store: Store,
  objects: ObjectStore,
  pending: PendingUpload,
  { onClaimed, onProgress, stableBytes = 0 }: {
    onClaimed?: (id: number) => void;
    onProgress?: OnProgress | undefined;
    stableBytes?: number;
  } = {},
): Promise<number> {
  const over = overQuota(store);
  if (over !== undefined) throw over;
  await requireSameStore(store, objects);
  const source = openLocal(store, pending, stableBytes);
  using _source = atEnd(source.close);
  const { id } = await publishFd(objects, source, pending, {
    known: knownId(store),
    onOthers: () => ifPossible(() => touch(othersPath(store.path))),
    host: hostname(),
    onClaimed: (id) => {
      onClaimed?.(id);
      if (!isOffline(id)) writeHint(store, FD_NUMBERS, id + 1);
    },
    onProgress,
    newNonce: () => crypto.getRandomValues(new Uint8Array(16)),
    clock: {
      nowMs: () => performance.now(),
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    },
  });
  const byteCount = source.byteCount();
  takeId(store, pending.localId, id);
  countToday(countsDirectory(store.path), "shared", "fd", byteCount);
  return id;
}

/** How long a shared store counts as the one that this host knows, and as full. */
const SAME_STORE_MS = 60_000;

/**
 * Returns why this host must not share now: it has shared what it may in a day (`shareBytes` of the store's limits), or the
 * store was full a moment ago. What is stored stays on this host, and is shared later.
 */
export function overQuota(store: Store): FdError | undefined {
  const { shareBytes = 0 } = store.limits;
  if (shareBytes > 0) {
    const shared = countsOfToday(countsDirectory(store.path), "shared").counts.get("fd")?.byteCount ?? 0;
    if (shared >= shareBytes) {
      const reason = `this host shared ${shared} of its ${shareBytes} bytes today (FDTOOL_SHARE_QUOTA)`;
      return new FdError({ kind: "over_quota", store: "the shared store", reason });
    }
  }
  return isRecent(fullPath(store.path), Date.now(), SAME_STORE_MS) ? fullFailure() : undefined;
}

function fullFailure(): FdError {
  const reason = "the store is over its quota, and its last cleaning could not remove enough";
  return new FdError({ kind: "over_quota", store: "the shared store", reason });
}

/** Refuses to write to a prefix that was emptied, or that another store was made in. */
async function requireSameStore(store: Store, objects: ObjectStore): Promise<void> {
  const path = identityPath(store.path);
  const known = readIdentity(store);
  if (known === undefined || isRecent(path, Date.now(), SAME_STORE_MS)) return;
  const now = await readSharedStore(objects);
  if (now?.id !== known.id) {
    const what = now === undefined
      ? "the store that this host knows is gone"
      : `another store is there now, ${now.id}`;
    failCorrupt(STORE_KEY, `${what}; its cache is ${store.path}`);
  }
  if (now.isFull === true) {
    touch(fullPath(store.path));
    throw fullFailure();
  }
  const seconds = Date.now() / 1000;
  disk.utimes(path, seconds, seconds);
}

/** Gives the files of `id` the id that the fd won. May be repeated from any step. */
function takeId(store: Store, id: number, won: number): void {
  if (id === won) return;
  makeShard(store, won);
  // The record comes last: an fd whose record is there has its other files.
  for (const path of [contentPath, packPath, indexPath, recordPath]) {
    moveIfThere(path(store.path, id), path(store.path, won));
  }
  ifPossible(() => disk.rmdir(shardPath(store.path, id)));
}

function moveIfThere(from: string, to: string): void {
  ifPossible(() => {
    disk.rename(from, to);
    // If both were the same file, renaming has left both.
    unlinkIfExists(from);
  }, "ENOENT");
}

// The files of an fd of this host, as an uploader reads them. They may get the id that the fd won while they are read.

const NOTHING = new Uint8Array();

/** An {@link UploadSource} with open files. */
interface LocalSource extends UploadSource {
  close(): void;
}

/** The id under which all files of a pending fd are found. */
function placeOf(store: Store, { localId, claimedId }: PendingUpload): number {
  return claimedId === undefined || isThere(recordPath(store.path, localId)) ? localId : claimedId;
}

/**
 * Opens the files of `pending`; `store` is the cache without its shared side. While the fd is written, only its first
 * `stableBytes` are there: a size limit may replace what follows.
 */
function openLocal(store: Store, pending: PendingUpload, stableBytes: number): LocalSource {
  const id = () => placeOf(store, pending);
  const isPacked = isThere(packPath(store.path, id())) && !isThere(contentPath(store.path, id()));
  const path = () => (isPacked ? packPath : contentPath)(store.path, id());
  let file: number | undefined;
  const opened = (): number => file ??= openReader(path());
  let isSettled = false;
  const settled = () => {
    const log = readLog(store, id());
    if (log === undefined) return fail({ kind: "not_found", fd: formatFd(id()), highestId: 0 });
    // Seals it if its writer died.
    const entry = entryOf(store, id(), log);
    if (entry.state !== "live" && !isSettled) {
      // The content may have been joined with its tail, which replaces the file.
      if (file !== undefined) closeReader(file);
      file = undefined;
      isSettled = true;
    }
    return entry;
  };
  return {
    form: isPacked ? "pack" : "plain",
    record: () => readCheckedLog(recordPath(store.path, id()), formatFd(id())) ?? NOTHING,
    index() {
      const entry = settled();
      if (entry.byteCount <= BLOCK_BYTES) return NOTHING;
      // Rebuilds the index if a full disk has prevented it.
      openContent(store, entry).close();
      const path = indexPath(store.path, entry.id);
      return inFile(openReader(path), (indexFile) => {
        const bytes = new Uint8Array(disk.fstat(indexFile).size);
        fill(indexFile, bytes, 0, path);
        return bytes;
      });
    },
    hasEnded: () => isSettled || settled().state !== "live",
    byteCount() {
      const byteCount = isThere(path()) ? disk.fstat(opened()).size : 0;
      return isSettled ? byteCount : Math.min(byteCount, stableBytes);
    },
    read(fromByte, byteCount, bytes = new Uint8Array(byteCount)) {
      if (byteCount > 0) fill(opened(), bytes, fromByte, path());
      return bytes;
    },
    close() {
      if (file !== undefined) closeReader(file);
      file = undefined;
    },
  };
}

function fill(file: number, bytes: Uint8Array, fromByte: number, path: string): void {
  const length = attempt("read", "share", path, () => readAt(file, bytes, fromByte));
  if (length < bytes.length) fail({ kind: "read_error", path, action: "share", code: "EIO" });
}
