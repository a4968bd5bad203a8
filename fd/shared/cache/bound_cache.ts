/**
 * Keeps a cache within its bound: the files of fds that were not read for longest are deleted. What is not shared yet, what
 * stays on its host and what grows is never deleted. Readers that have a file open read on; others fetch it again.
 */

import type { FdFailure } from "../../failures.ts";
import { mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseDecimal } from "../../bytes/decimal.ts";
import { fail, ifPossible } from "../../disk/errors.ts";
import { discard, namesIn, statIfPossible } from "../../disk/file_calls.ts";
import { listShards } from "../../records/list_fds.ts";
import { isKeptOnHost } from "../../store/fd_id.ts";
import type { Store } from "../../store/open_store.ts";
import { measuredPath, pinsDirectory } from "../../store/cache_paths.ts";
import { contentPath, shardsPath } from "../../store/store_paths.ts";
import { allPending } from "./pending_fds.ts";
import { isDue, isRecent } from "./marks.ts";
import { readOrigin } from "./origin_file.ts";

/** How long a pin protects an fd. */
const PIN_MS = 24 * 60 * 60 * 1000;
/** How often the size is measured. */
const MEASURE_EVERY_MS = 60_000;
/** Deletes down to this part of the limit, so that it is seldom needed. */
const ROOM = 0.9;
const STAT_BLOCK_BYTES = 512;

/** The files of one fd. */
interface CachedFd {
  id: number;
  diskBytes: number;
  readMs: number;
  paths: string[];
}

/** Bounds the cache to `mostBytes` (0: no bound) unless that was done a minute ago. */
export function boundSometimes(store: Store, mostBytes: number, nowMs: number): void {
  if (!isDue(store, measuredPath(store.path), nowMs, MEASURE_EVERY_MS)) return;
  ifPossible(() => boundCache(store, mostBytes, nowMs));
}

/** Deletes files, not those of `inUse`, until the cache takes at most `mostBytes` (0: no bound). Returns the bytes deleted. */
export function boundCache(store: Store, mostBytes: number, nowMs: number, inUse?: number): number {
  if (mostBytes === 0) return 0;
  const fds = cachedFds(store);
  let diskBytes = fds.reduce((sum, fd) => sum + fd.diskBytes, 0);
  if (diskBytes <= mostBytes) return 0;
  const spared = sparedIds(store, nowMs);
  const before = diskBytes;
  for (const fd of fds.sort((a, b) => a.readMs - b.readMs)) {
    if (diskBytes <= mostBytes * ROOM) break;
    if (isKeptOnHost(fd.id) || spared.has(fd.id) || fd.id === inUse) continue;
    for (const path of fd.paths) discard(path);
    diskBytes -= fd.diskBytes;
  }
  return before - diskBytes;
}

/** Returns the number of fds with files, their size, and when one was not read for longest; undefined if there are none. */
export function sizeOfCache(store: Store) {
  const fds = cachedFds(store);
  const diskBytes = fds.reduce((sum, fd) => sum + fd.diskBytes, 0);
  const oldestReadMs = fds.length === 0 ? undefined : Math.min(...fds.map(({ readMs }) => readMs));
  return { fdCount: fds.length, diskBytes, oldestReadMs };
}

/** Ids whose files stay: those of this host that are to be shared, and pinned ones. */
function sparedIds(store: Store, nowMs: number): Set<number> {
  const ids = new Set(allPending(store).flatMap((pending) => [pending.localId, pending.id]));
  for (const name of namesIn(pinsDirectory(store.path))) {
    const path = `${pinsDirectory(store.path)}/${name}`;
    if (isRecent(path, nowMs, PIN_MS)) ids.add(Number(name));
    else discard(path);
  }
  return ids;
}

function cachedFds(store: Store): CachedFd[] {
  const fds = new Map<number, CachedFd>();
  for (const shard of listShards(store)) {
    const directory = `${shardsPath(store.path)}/${shard}`;
    for (const name of namesIn(directory)) {
      const id = parseDecimal(name.slice(0, name.lastIndexOf(".")));
      const path = `${directory}/${name}`;
      const stat = id === undefined ? undefined : statIfPossible(path);
      if (id === undefined || stat?.isFile() !== true) continue;
      const fd = fds.get(id) ?? { id, diskBytes: 0, readMs: 0, paths: [] };
      fd.diskBytes += (stat.blocks ?? Math.ceil(stat.size / STAT_BLOCK_BYTES)) * STAT_BLOCK_BYTES;
      fd.readMs = Math.max(fd.readMs, stat.atimeMs, stat.mtimeMs);
      // The record goes first: an fd whose record is there may have lost its other files, which are fetched again.
      if (name.endsWith(".rec")) fd.paths.unshift(path);
      else fd.paths.push(path);
      fds.set(id, fd);
    }
  }
  return [...fds.values()];
}

/** A file system in memory, on Linux. Elsewhere the directory for temporary files may be on another disk. */
const MEMORY = "/dev/shm";

/** Makes the directory. Throws `full` if that fails too. */
export function memoryDirectory(full: FdFailure): string {
  const made = (parent: string) => ifPossible(() => mkdtempSync(join(parent, "fdtool-")));
  return made(MEMORY) ?? made(tmpdir()) ?? fail(full);
}

/** Whether all of an fd fits on the disk, if need be after what was not read for longest is dropped. */
export function makeRoomFor(store: Store, id: number): boolean {
  const origin = readOrigin(store, id);
  if (origin?.segments === undefined) return true;
  const wanted = origin.segments.byteCount + origin.indexBytes;
  const has = () =>
    ifPossible(() => {
      const { bavail, bsize } = statfsSync(store.path);
      const { blocks = 0 } = statIfPossible(contentPath(store.path, id)) ?? {};
      return bavail * bsize >= wanted - blocks * STAT_BLOCK_BYTES;
    }) ?? true;
  if (has()) return true;
  boundCache(store, Math.max(1, sizeOfCache(store).diskBytes / 2), Date.now(), id);
  return has();
}
