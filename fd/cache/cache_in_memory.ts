/**
 * Reads from a shared store although the disk of the cache is full: what is fetched is put into a directory in memory, for
 * one call.
 */

import { mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { disk } from "../disk/disk.ts";
import { type FdError, systemCode } from "../disk/errors.ts";
import type { Store } from "../store/open_store.ts";
import { contentPath } from "../store/store_paths.ts";
import { boundCache, sizeOfCache } from "./bound_cache.ts";
import { readOrigin } from "./origin_file.ts";

/** A file system in memory, on Linux. Elsewhere the directory for temporary files may be on another disk. */
const MEMORY = "/dev/shm";

const STAT_BLOCK_BYTES = 512;

/** Makes the directory. Throws `full` if that fails too. */
export function memoryDirectory(full: FdError): string {
  for (const parent of [MEMORY, tmpdir()]) {
    try {
      return mkdtempSync(join(parent, "fdtool-"));
    } catch {
      // It does not exist, or is full too.
    }
  }
  throw full;
}

/** Whether all of an fd fits on the disk, if need be after what was not read for longest is dropped. */
export function makeRoomFor(store: Store, id: number): boolean {
  const origin = readOrigin(store, id);
  if (origin?.segments === undefined) return true;
  const wanted = origin.segments.byteCount + origin.indexBytes;
  const has = () => {
    try {
      const { bavail, bsize } = statfsSync(store.path);
      const { blocks = 0 } = disk.lstat(contentPath(store.path, id), { throwIfNoEntry: false }) ?? {};
      return bavail * bsize >= wanted - blocks * STAT_BLOCK_BYTES;
    } catch (thrown) {
      if (systemCode(thrown) === undefined) throw thrown;
      return true;
    }
  };
  if (has()) return true;
  boundCache(store, Math.max(1, sizeOfCache(store).diskBytes / 2), Date.now(), id);
  return has();
}
