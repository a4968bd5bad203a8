/**
 * Out of the store: a slice as a file of the user's. A library cannot ask, and keeps no journal, so it only makes files:
 * replacing one, with a backup and a way back, is what the program's `to-file` does.
 *
 * @module
 */

import { checkPath } from "../disk/check_path.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { locateSlice, type SliceRequest } from "./locate_slice.ts";
import type { Store } from "../store/open_store.ts";
import { readSlice } from "./read_slice.ts";
import { placeStaged, removeStaged, stageFile, temporaryPathFor } from "../disk/replace_file.ts";

/**
 * Writes a slice to a new file and syncs it: whatever happens, the whole slice is at `path` or nothing is. Answers how
 * many bytes it holds. The directory must be there.
 *
 * @throws {FdError} `file_exists` where something is at `path`, whenever it appeared; `storage_full`,
 * `permission_error`, `write_error` for the disk; what `locateSlice` and `readSlice` throw.
 */
export function exportSlice(store: Store, entry: FdEntry, request: SliceRequest, path: string): number {
  checkPath(path);
  const content = readSlice(store, entry, locateSlice(store, entry, request));
  const temporaryPath = temporaryPathFor(path);
  const { byteCount } = stageFile({ temporaryPath, shownPath: path, content });
  try {
    placeStaged(temporaryPath, path, { mustBeNew: true });
  } catch (thrown) {
    removeStaged(temporaryPath);
    throw thrown;
  }
  return byteCount;
}
