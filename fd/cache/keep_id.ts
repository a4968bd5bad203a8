/** Gives an fd that is not shared yet the id that its caller reports, and that it keeps. */

import { disk } from "../disk/disk.ts";
import { systemCode } from "../disk/errors.ts";
import { takeOverPending } from "../shared/pending_upload.ts";
import type { Store } from "../store/open_store.ts";
import { contentPath, indexPath, packPath, pendingDirectory, recordPath } from "../store/store_paths.ts";
import { knownAs } from "./pending_fds.ts";
import { makeShard } from "./place_parts.ts";

/**
 * Returns the id of the fd of a note that this process owns, and had a process of its own share, which has ended.
 * `claimedId` is the id which that process reported: it may have ended before it could note it, or after all was done.
 */
export function keepId(
  store: Store,
  { name, localId }: { name: string; localId: number },
  claimedId?: number,
): number {
  const own = takeOverPending(pendingDirectory(store.path), name, "self");
  if (own === undefined) return claimedId ?? localId;
  if (own.claimedId === undefined && claimedId !== undefined) own.noteClaimed(claimedId);
  if (own.claimedId !== undefined) linkAs(store, localId, own.claimedId);
  else if (own.offlineId === undefined) own.goOffline(localId);
  own.release();
  return knownAs(own);
}

/**
 * Gives the files of `id`, which may still be written, the id that the fd won as a second name: both names are the same
 * files until the fd is shared.
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
