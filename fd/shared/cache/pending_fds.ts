/** The fds of this host that are still to be shared, and the highest id of the shared store that it has heard of. */

import { disk } from "../../disk/disk.ts";
import { isThere, unlinkIfExists } from "../../disk/file_calls.ts";
import { isObjectForm } from "../../packs/object_form.ts";
import { decodeLog } from "../../records/record_log.ts";
import {
  isOwned,
  listPending,
  type PendingUpload,
  readPending,
  takeOverPending,
} from "../objects/pending_upload.ts";
import { readCheckedLog } from "../../store/checked_log.ts";
import { lastHinted } from "../../store/claim_id.ts";
import { formatFd } from "../../store/fd_id.ts";
import type { Store } from "../../store/open_store.ts";
import { othersPath, pendingDirectory, uploadedPath } from "../../store/cache_paths.ts";
import { contentPath, FD_NUMBERS, numberPath, recordPath } from "../../store/store_paths.ts";
import { isDue, isRecent } from "./marks.ts";

/** How long the highest id that this host knows is probably still the highest, while other hosts claim ids too. */
const KNOWN_MS = 2000;
/** How long a host that noticed others asks before it claims. */
const OTHERS_MS = 10 * 60 * 1000;

/** The highest id of the shared store that this host has seen. */
export function knownId(store: Store): { id: number; isFresh: boolean } | undefined {
  const id = lastHinted(store, FD_NUMBERS);
  if (id === 0) return undefined;
  const ageMs = Date.now() -
    (disk.stat(numberPath(store.path, FD_NUMBERS.hint), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const isFresh = ageMs >= 0 && ageMs < KNOWN_MS || !isRecent(othersPath(store.path), Date.now(), OTHERS_MS);
  return { id, isFresh };
}

/** Returns the note about fd `id`, by the id that callers know; undefined if it is shared. */
export function pendingOf(store: Store, id: number): PendingUpload | undefined {
  for (const pending of allPending(store)) {
    if (pending.id === id || pending.localId === id) return pending;
  }
  return undefined;
}

/** Returns the notes about all fds that are still to be shared. */
export function allPending(store: Store): PendingUpload[] {
  const directory = pendingDirectory(store.path);
  return listPending(directory).flatMap((name) => readPending(directory, name) ?? []);
}

/** All ids of the fds that are still to be shared. */
export function pendingIds(store: Store): Set<number | undefined> {
  return new Set(
    allPending(store).flatMap(({ localId, claimedId, offlineId }) => [localId, claimedId, offlineId]),
  );
}

/** Whether the fd of a note is there: a note is written before the record, and the record before its claim. */
function isStored(store: Store, { localId, claimedId }: PendingUpload): boolean {
  return [localId, claimedId].some((id) => {
    const bytes = id === undefined ? undefined : readCheckedLog(recordPath(store.path, id), formatFd(id));
    return bytes !== undefined && (isObjectForm(bytes) || decodeLog(bytes).claim !== undefined);
  });
}

/** Returns the names of notes about fds that were never stored: their writers were killed before the claim was there. */
export function emptyNotes(store: Store): string[] {
  const directory = pendingDirectory(store.path);
  return listPending(directory).filter((name) => {
    const pending = readPending(directory, name);
    if (pending !== undefined && isStored(store, pending) || isOwned(directory, name)) return false;
    // An fd that was just shared has another id, and no note.
    return isThere(`${directory}/${name}`);
  });
}

/** Deletes a note about an fd that was never stored. */
export function dropEmptyNote(store: Store, name: string): void {
  const pending = takeOverPending(pendingDirectory(store.path), name);
  if (pending === undefined) return;
  if (isStored(store, pending)) return pending.release();
  for (const path of [recordPath, contentPath]) unlinkIfExists(path(store.path, pending.localId));
  pending.end();
}

/** When the fd of a note was stored, in milliseconds since 1970. */
export function pendingSinceMs(store: Store, { name }: PendingUpload): number {
  return disk.lstat(`${pendingDirectory(store.path)}/${name}`, { throwIfNoEntry: false })?.birthtimeMs ?? 0;
}

/** How often a process is started to share pending fds. */
const UPLOAD_EVERY_MS = 15_000;

/** Whether fds wait to be shared, and no process was started for that for a while. Then notes that one is. */
export function isUploadDue(store: Store, nowMs: number): boolean {
  return listPending(pendingDirectory(store.path)).length > 0 &&
    isDue(store, uploadedPath(store.path), nowMs, UPLOAD_EVERY_MS);
}
