/** Makes a plain file of packed content, for other programs. @module */

import { constants } from "node:fs";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem, FdError } from "../disk/errors.ts";
import { NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import { unlinkIfExists } from "../disk/unlink_if_exists.ts";
import { writeWhole } from "../disk/write_whole.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { readSlice } from "../slices/read_slice.ts";
import type { Store } from "../store/open_store.ts";
import { packBeside, temporaryPath } from "../store/store_paths.ts";

/** See `plainFile` in `plain_file.ts`. */
export function unpackFd(store: Store, entry: FdEntry): string {
  const path = entry.contentPath;
  const isPacked = disk.lstat(path, { throwIfNoEntry: false }) === undefined &&
    disk.lstat(packBeside(path), { throwIfNoEntry: false }) !== undefined;
  if (!isPacked) return path;
  const fresh = temporaryPath(store.path, "plain");
  try {
    const file = openPrivate(fresh, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW);
    try {
      for (const piece of readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }).chunks()) {
        writeWhole(file, piece);
      }
      // The plain file is read in preference to the packed one, so it must not be lost in part.
      disk.fsync(file);
    } finally {
      disk.close(file);
    }
    disk.rename(fresh, path);
  } catch (thrown) {
    unlinkIfExists(fresh);
    if (thrown instanceof FdError) throw thrown;
    fail(failureOfSystem(thrown, "write", "unpack", path));
  }
  return path;
}
