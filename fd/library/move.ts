/** Moves fds to other stores: by an archive, or as a fork. @module */

import { exportFds as exportAll } from "../archive/export_fds.ts";
import { type Imported, importFds as importAll, type ReadArchive } from "../archive/import_fds.ts";
import { type ForkReport, forkStore as fork } from "../forks/fork_store.ts";
import { nodePath } from "../disk/loaded_late.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import type { ByteSource } from "../slices/read_slice.ts";
import type { Store } from "../store/open_store.ts";
import { aFunction, aMoment, aPath, checkArguments } from "./argument_checks.ts";
import { aStore, forkOptions, someEntries } from "./known_records.ts";

/**
 * Returns an archive of `entries`: a tar file with their sums. Memory use does not grow with it. `nowMs`, in
 * milliseconds since 1970, is noted in the archive; default: now.
 *
 * @throws {FdError} `invalid_parameter` for a live fd; `store_corrupt` for one that cannot be read.
 */
export async function exportFds(
  store: Store,
  entries: readonly FdEntry[],
  nowMs: number = Date.now(),
): Promise<ByteSource> {
  checkArguments({ store, entries, nowMs }, { store: aStore, entries: someEntries, nowMs: aMoment });
  return await exportAll(store, entries, nowMs);
}

/**
 * Imports all fds of an archive, under new ids, or none if anything is wrong with it. `read` fills the bytes it is
 * given with the next ones of the archive, and returns how many; 0 at the end.
 *
 * @throws {FdError} `archive_truncated`, `archive_malformed`, `archive_mismatch`; `invalid_parameter` for an fd above
 * the store's `maxBytes`; `storage_full`, `permission_error`, `write_error`; and whatever `read` throws.
 */
export async function importFds(store: Store, read: ReadArchive): Promise<Imported[]> {
  checkArguments({ store, read }, { store: aStore, read: aFunction });
  return await importAll(store, read);
}

/** Options of a fork. */
export interface ForkRequest {
  /** Ids of the fds to include; default: all. */
  ids?: readonly number[] | undefined;
}

/**
 * Creates a store in the directory `path`, which must not contain one, with fds of `store` under the same ids. Content
 * is shared on the disk if the file system can; from then on no change in one store affects the other.
 *
 * @throws {FdError} `file_exists` if `path` contains a store; failures of reading one store or writing the other.
 */
export function forkStore(store: Store, path: string, options: ForkRequest = {}): ForkReport {
  checkArguments({ store, path, options }, { store: aStore, path: aPath, options: forkOptions });
  return fork(store, nodePath().resolve(path), options);
}
