/** Makes plain files of content that is packed, in its record or in a shared store, for other programs. */

import { blockSum, sumOfSums } from "../bytes/block_sum.ts";
import { disk } from "../disk/disk.ts";
import { attempt, orUndo } from "../disk/errors.ts";
import { discard, inWritten, writeWhole } from "../disk/file_calls.ts";
import { NEW_FILE, openPrivate } from "../disk/private_files.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { readContentInRecord } from "../records/object_record.ts";
import { prepareContent } from "../slices/prepare_content.ts";
import { readSlice } from "../slices/read_slice.ts";
import type { Store } from "../store/open_store.ts";
import { packBeside, temporaryPath } from "../store/store_paths.ts";

/**
 * Returns the path of a file with the content of `entry` and nothing else. For content that is
 * packed or in the record it is made, verified, and stays until it has not been read for a day.
 *
 * @throws {FdError} `store_corrupt`, `storage_full`, `write_error`.
 */
export async function plainFile(store: Store, entry: FdEntry): Promise<string> {
  await fetchWhole(store, entry);
  const path = entry.contentPath;
  const isPlain = disk.lstat(path, { throwIfNoEntry: false }) !== undefined;
  const isThere = entry.inRecord === undefined
    ? isPlain || disk.lstat(packBeside(path), { throwIfNoEntry: false }) === undefined
    : isPlain && isCopy(path, entry);
  if (isThere) return path;
  const fresh = temporaryPath(store.path, "plain");
  const unpack = () => {
    inWritten(openPrivate(fresh, NEW_FILE), (file) => {
      for (const piece of readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }).chunks()) {
        writeWhole(file, piece);
      }
      // The plain file is read in preference to the packed one, so it must not be lost in part.
      disk.fsync(file);
    });
    disk.rename(fresh, path);
  };
  attempt("write", "unpack", path, () => orUndo(unpack, () => discard(fresh)));
  return path;
}

/** Whether the file at `path` has the content of `entry`, which is in its record: nothing else checks that file. */
function isCopy(path: string, { byteCount, sum }: FdEntry): boolean {
  const bytes = readContentInRecord(path, 0, byteCount + 1);
  return bytes.length === byteCount && sumOfSums(byteCount === 0 ? [] : [blockSum(bytes)]) === sum;
}

/** Gets all of an fd's content into the cache, verified, where it stays. */
export async function fetchWhole(store: Store, entry: FdEntry): Promise<void> {
  await prepareContent(store, entry);
  store.backend.pin(entry.id);
}
