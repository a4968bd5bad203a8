/**
 * Opens the cache of a shared store: an ordinary store (FORMAT.md) whose parts are fetched before they are read, and whose fds
 * are shared.
 */

import { disk } from "../../disk/disk.ts";
import type { OnUnreadable } from "../../records/look_at_shard.ts";
import type { Backend } from "../../store/backend.ts";
import { limitsFrom } from "../../store/open_store.ts";
import { type CacheOptions, startCache } from "./cache_state.ts";
import type { UploadOptions } from "./change_shared.ts";
import { fetchedParts } from "./fetched_parts.ts";
import { lateSharing } from "./late_sharing.ts";
import { pin } from "./marks.ts";
import { allPending, dropEmptyNote, emptyNotes, isUploadDue } from "./pending_fds.ts";

/** @throws {FdError} like `openStore`. */
export function openCache(options: CacheOptions) {
  const cache = startCache(options);
  const { local, objects } = cache;
  const { leave, ...writing } = lateSharing(cache);
  // Loaded when needed: reading cached content needs none of it.
  const rare = () => import("./change_shared.ts");
  const backend: Backend = {
    ...fetchedParts(cache),
    ...writing,
    get host() {
      return process.getBuiltinModule("node:os").hostname();
    },
    pin: (id) => pin(local, id),
    isDoneWhenSealed: false,
    keepsSmallInRecords: false,
    hasWholeFiles: false,
  };
  return {
    /** The cache as a store. */
    store: {
      get path() {
        return local.path;
      },
      backend,
      get limits() {
        return limitsFrom(options.env);
      },
    },
    /** Makes the shared store if it is new, in an object store that was tried, or finds out which it is. */
    connect: async () => void await cache.connect("done"),
    /** The fds of this host that are not shared yet. Drops notes about fds that were never stored. */
    pending() {
      for (const name of emptyNotes(local)) dropEmptyNote(local, name);
      return allPending(local);
    },
    facts: async () => (await rare()).factsOf(local, options.boundBytes()),
    /** Whether fds wait to be shared, and no process has tried to for a while. Notes that one does now. */
    isUploadDue: (nowMs: number) => isUploadDue(local, nowMs),
    /** Deletes old files if this process added to the cache and it was not bounded for a while. */
    async bound(nowMs: number) {
      if (!cache.hasGrown || cache.full !== undefined) return;
      const { boundSometimes } = await import("./bound_cache.ts");
      boundSometimes(local, options.boundBytes(), nowMs);
    },
    /** Removes what the call has in memory. Fds that it stored and did not share keep their ids, and are shared later. */
    async close() {
      await leave();
      if (cache.full !== undefined) disk.removeTree(local.path, { recursive: true, force: true });
    },
    /** Cleans the shared store for all hosts, and bounds the cache. */
    clean: async (onUnreadable: OnUnreadable) =>
      await (await rare()).cleanAll(local, await objects(), options.boundBytes(), onUnreadable),
    /** Shares the fd of a note, however long that takes. Undefined if another process has the note. */
    upload: async (name: string, how: UploadOptions) =>
      await (await rare()).uploadFd(local, objects, name, how),
  };
}
