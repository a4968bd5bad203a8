/**
 * Shares fds of this host: their objects are created in the shared store, and their files get the ids that they won.
 *
 * @module
 */

import { constants } from "node:fs";
import { hostname } from "node:os";
import { disk } from "../disk/disk.ts";
import { systemCode } from "../disk/errors.ts";
import { NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import { listPending, type PendingUpload, readPending } from "../shared/pending_upload.ts";
import { publishFd } from "../shared/publish_fd.ts";
import { lastHinted, writeHint } from "../store/claim_id.ts";
import { isOffline } from "../store/offline_id.ts";
import type { Store } from "../store/open_store.ts";
import {
  contentPath,
  fdNumbers,
  hintPath,
  indexPath,
  packPath,
  pendingDirectory,
  recordPath,
  shardPath,
  uploadedPath,
} from "../store/store_paths.ts";
import { unlinkIfExists } from "../disk/unlink_if_exists.ts";
import { openLocal } from "./local_source.ts";
import { makeShard } from "./place_parts.ts";

/** How long the highest id that this host knows is probably the highest. */
const KNOWN_MS = 2000;

/** Shares the fd of a note that this process owns, once it has ended. Returns its id from now on. */
export async function sharePending(
  store: Store,
  objects: ObjectStore,
  pending: PendingUpload,
  onClaimed: (id: number) => void = () => {},
): Promise<number> {
  const source = openLocal(store, pending);
  try {
    const { id } = await publishFd(objects, source, pending, {
      known: knownId(store),
      host: hostname(),
      onClaimed: (id) => {
        onClaimed(id);
        if (!isOffline(id)) writeHint(store, fdNumbers(), id + 1);
      },
      newNonce: () => crypto.getRandomValues(new Uint8Array(16)),
      clock: {
        nowMs: () => performance.now(),
        pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      },
    });
    takeId(store, pending.localId, id);
    return id;
  } finally {
    source.close();
  }
}

/** The highest id of the shared store that this host has heard of. */
export function knownId(store: Store): { id: number; isFresh: boolean } | undefined {
  const id = lastHinted(store, fdNumbers());
  if (id === 0) return undefined;
  const ageMs = Date.now() - (disk.stat(hintPath(store.path), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return { id, isFresh: ageMs >= 0 && ageMs < KNOWN_MS };
}

/** Gives the files of `id` the id that the fd won. May be repeated from any step. */
function takeId(store: Store, id: number, won: number): void {
  if (id === won) return;
  makeShard(store, won);
  // The record comes last: an fd whose record is there has its other files.
  for (const path of [contentPath, packPath, indexPath, recordPath]) {
    moveIfThere(path(store.path, id), path(store.path, won));
  }
  try {
    disk.rmdir(shardPath(store.path, id));
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
}

/**
 * Gives the files of `id`, which may still be written, the id that the fd won as a second name: both names are the same
 * files until {@link takeId}.
 */
export function linkAs(store: Store, id: number, won: number): void {
  makeShard(store, won);
  for (const path of [contentPath, packPath, indexPath, recordPath]) {
    try {
      disk.link(path(store.path, id), path(store.path, won));
    } catch (thrown) {
      if (systemCode(thrown) === undefined) throw thrown;
    }
  }
}

function moveIfThere(from: string, to: string): void {
  try {
    disk.rename(from, to);
    // If both were the same file, renaming has left both.
    unlinkIfExists(from);
  } catch (thrown) {
    if (systemCode(thrown) !== "ENOENT") throw thrown;
  }
}

/** Returns the note about fd `id`, by the id that callers know; undefined if it is shared. */
export function pendingOf(store: Store, id: number): PendingUpload | undefined {
  for (const pending of allPending(store)) {
    if (knownAs(pending) === id || pending.localId === id) return pending;
  }
  return undefined;
}

/** The id by which callers know a pending fd. */
export function knownAs({ offlineId, claimedId, localId }: PendingUpload): number {
  return offlineId ?? claimedId ?? localId;
}

/** Returns the notes about all fds that are still to be shared. */
export function allPending(store: Store): PendingUpload[] {
  const directory = pendingDirectory(store.path);
  return listPending(directory).flatMap((name) => readPending(directory, name) ?? []);
}

/** When the fd of a note was stored, in milliseconds since 1970. */
export function pendingSinceMs(store: Store, { name }: PendingUpload): number {
  return disk.lstat(`${pendingDirectory(store.path)}/${name}`, { throwIfNoEntry: false })?.birthtimeMs ?? 0;
}

/** How often a process is started for fds that are not shared. */
const UPLOAD_EVERY_MS = 15_000;

/** Whether fds wait to be shared, and no process was started for that for a while. Then notes that one is. */
export function isUploadDue(store: Store, nowMs: number): boolean {
  if (listPending(pendingDirectory(store.path)).length === 0) return false;
  const path = uploadedPath(store.path);
  try {
    const atMs = disk.stat(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Math.abs(nowMs - atMs) < UPLOAD_EVERY_MS) return false;
    disk.close(openPrivate(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | NO_FOLLOW));
    disk.utimes(path, nowMs / 1000, nowMs / 1000);
    return true;
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return false;
  }
}
