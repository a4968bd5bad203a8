/**
 * Removes an fd. The tombstone is written before the content is deleted: if interrupted, the fd counts as removed,
 * and cleanup finishes. The id is never reused.
 */

import { FdError, undefinedIf } from "../disk/errors.ts";
import { discard, unlinkIfExists } from "../disk/file_calls.ts";
import { dropUnusedPack } from "../packing/shared_packs.ts";
import { type FdEntry, refuseLive, type Removal } from "../records/fd_entry.ts";
import { refuseRemoved } from "../records/find_fd.ts";
import { listIds } from "../records/list_fds.ts";
import { momentNow, type TombLine } from "../records/record_line.ts";
import { readLog } from "../records/record_log.ts";
import { dropListing } from "../records/shard_listing.ts";
import { writeTomb } from "../records/write_tomb.ts";
import { digestFd } from "../slices/digest_fd.ts";
import type { Store } from "../store/open_store.ts";
import { contentPath, indexPath, packPath } from "../store/store_paths.ts";

/**
 * Removes an fd and leaves its tombstone.
 *
 * @throws {FdError} `invalid_parameter` for a live fd; `removed` if it is already removed.
 */
export async function removeFd(store: Store, entry: FdEntry, why: string): Promise<Removal> {
  const removal = await removeUnless(store, entry, why, () => false);
  if (removal === undefined) throw new Error("nothing was to keep it");
  return removal;
}

/**
 * Like {@link removeFd}, but checks `isProtected` once more after computing the sha-256, which takes time. Returns
 * undefined if the fd was preserved.
 */
export async function removeUnless(
  store: Store,
  entry: FdEntry,
  why: string,
  isProtected: () => boolean,
): Promise<Removal | undefined> {
  refuseLive(entry);
  const { id, source, command, byteCount } = entry;
  const removeForAll = store.backend.removal(id);
  const isOnlyHere = removeForAll === undefined;
  // Shared content is not fetched for it.
  const sha256 = isOnlyHere ? await digestIfWhole(store, entry) : entry.sha256;
  if (isProtected()) return undefined;
  if (!isOnlyHere) await removeForAll(why);
  else {
    // Another process may have removed it meanwhile.
    refuseRemoved(store, id);
    // Otherwise a listing would include it until its content is deleted.
    dropListing(store, id);
  }
  const tomb: TombLine = { event: "tomb", at: momentNow(), why, bytes: byteCount, sha256 };
  writeTomb(store, id, tomb, isOnlyHere);
  dropContent(store, id);
  if (isOnlyHere && sha256 !== undefined) dropUnusedPack(store, entry, sha256);
  return { id, source, command, byteCount, sha256, why };
}

async function digestIfWhole(store: Store, entry: FdEntry): Promise<string | undefined> {
  return await digestFd(store, entry).catch(undefinedIf(FdError));
}

/**
 * Deletes content, in both forms, and index of `id`. Returns whether there was content. Ignores a failure to delete
 * the index.
 */
export function dropContent(store: Store, id: number): boolean {
  const wasPlain = unlinkIfExists(contentPath(store.path, id));
  const wasPacked = unlinkIfExists(packPath(store.path, id));
  discard(indexPath(store.path, id));
  return wasPlain || wasPacked;
}

/** A removed fd. Times in milliseconds since 1970. */
export interface RemovedFd {
  /** N of `fd:N`. Never reused. */
  id: number;
  /** Origin of the bytes. */
  source: string;
  /** The command that wrote it, to get it again. */
  command: string[] | undefined;
  /** When it was created. */
  createdMs: number;
  /** When it was removed. */
  removedMs: number;
  /** Why, or by what, it was removed. */
  why: string;
  /** Bytes of content. */
  byteCount: number;
  /** Chars of content; 0 if it was never sealed. */
  charCount: number;
  /** Lines of content; 0 if it was never sealed. */
  lineCount: number;
  /** Pages of content; 0 if it was never sealed. */
  pageCount: number;
  /** In hex; undefined if the content could not be read. */
  sha256: string | undefined;
}

/** Lists every removed fd, oldest first. Reads the record of every id ever claimed. */
export function listRemoved(store: Store): RemovedFd[] {
  return listIds(store).flatMap((id) => {
    const log = readLog(store, id);
    if (log?.tomb === undefined) return [];
    const { claim, seal, tomb } = log;
    return {
      id,
      source: claim?.source ?? "unknown",
      command: claim?.command,
      createdMs: claim?.at ?? tomb.at,
      removedMs: tomb.at,
      why: tomb.why,
      byteCount: tomb.bytes,
      charCount: seal?.chars ?? 0,
      lineCount: seal?.lines ?? 0,
      pageCount: seal?.pages ?? 0,
      sha256: tomb.sha256,
    };
  });
}
