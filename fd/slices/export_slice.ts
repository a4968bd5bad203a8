/**
 * Exports a slice to a user's file. The library only creates files, since it cannot ask questions and has no journal;
 * replacing a file, with a backup and undo, is done by the program's `to-file`.
 */

import { checkPath } from "../disk/check_argument.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { locateSlice, type SliceRequest } from "./locate_slice.ts";
import type { Store } from "../store/open_store.ts";
import { readSlice } from "./read_slice.ts";
import { placeStaged, removeStaged, stageFile, temporaryPathFor } from "../disk/replace_file.ts";

/**
 * Writes a slice to a new file and syncs it: on failure nothing is at `path`. Returns the number of bytes. The
 * directory must exist.
 *
 * @throws {FdError} `file_exists` if `path` exists, even if created at the last moment; `storage_full`,
 * `permission_error`, `write_error` for the disk; like `locateSlice` and `readSlice`.
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
