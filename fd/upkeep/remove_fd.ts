/**
 * Takes an fd out of the store. The tombstone comes first and the content goes after it: whatever happens in between,
 * the fd is removed, and cleaning finishes the work. The id is never free again.
 *
 * @module
 */

import { digestFd } from "../slices/digest_fd.ts";
import { FdError } from "../disk/errors.ts";
import { refuseRemoved } from "../records/find_fd.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import type { Store } from "../store/open_store.ts";
import { appendLine } from "../records/append_record.ts";
import { refuseLive } from "../records/refuse_live.ts";
import { dropListing } from "../records/shard_listing.ts";
import { contentPath, indexPath } from "../store/store_paths.ts";
import { unlinkIfThere } from "../disk/unlink_if_there.ts";

/** What was removed. `sha256` is undefined where the content could no longer be read. */
export interface Removal {
  /** N of `fd:N`. */
  id: number;
  /** What the bytes were. */
  source: string;
  /** The command that wrote it: how to get it again. */
  command: string[] | undefined;
  /** Bytes that it held. */
  byteCount: number;
  /** Hex. */
  sha256: string | undefined;
  /** As the caller said. */
  why: string;
}

/**
 * Removes an fd, and leaves its tombstone.
 *
 * @throws {FdError} `invalid_parameter` for a live fd: its writer must end first; `removed` where it is gone already.
 */
export async function removeFd(store: Store, entry: FdEntry, why: string): Promise<Removal> {
  const removal = await removeUnless(store, entry, why, () => false);
  if (removal === undefined) throw new Error("nothing was to keep it");
  return removal;
}

/**
 * The same, but for one last look: its sha-256 takes time, and where `isKept` answers that it is to stay by then, it
 * does.
 * Undefined where it stayed.
 */
export async function removeUnless(
  store: Store,
  entry: FdEntry,
  why: string,
  isKept: () => boolean,
): Promise<Removal | undefined> {
  refuseLive(entry);
  const sha256 = await digestIfWhole(store, entry);
  if (isKept()) return undefined;
  // Another process may have been faster.
  refuseRemoved(store, entry.id);
  // A listing would go on telling of it until its content is gone.
  dropListing(store, entry.id);
  appendLine(store, entry.id, { event: "tomb", at: Date.now(), why, bytes: entry.byteCount, sha256 }, true);
  dropContent(store, entry.id);
  const { id, source, command, byteCount } = entry;
  return { id, source, command, byteCount, sha256, why };
}

async function digestIfWhole(store: Store, entry: FdEntry): Promise<string | undefined> {
  try {
    return await digestFd(store, entry);
  } catch (thrown) {
    if (thrown instanceof FdError) return undefined;
    throw thrown;
  }
}

/** Removes content and index of `id`; answers whether there was content. An index that stays behind is litter. */
export function dropContent(store: Store, id: number): boolean {
  const wasThere = unlinkIfThere(contentPath(store.path, id));
  try {
    unlinkIfThere(indexPath(store.path, id));
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
  }
  return wasThere;
}
