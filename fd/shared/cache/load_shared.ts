/** Loads the code for shared stores with the first use: a local store's calls do not need it. */

import type { FdEntry } from "../../records/fd_entry.ts";
import { LOCAL } from "../../store/backend.ts";
import type { Store } from "../../store/open_store.ts";
import type { CachedFds } from "./choose_cached.ts";

type OpenCache = typeof import("./open_cache.ts").openCache;

/** An open cache of a shared store. */
export type SharedCache = Awaited<ReturnType<OpenCache>>;

/** Facts about a shared store and its cache that need no request. */
export type CacheFacts = Awaited<ReturnType<SharedCache["facts"]>>;

/** Opens the cache of a shared store. Throws {@link FdError} like `openStore`. */
export async function openCache(options: Parameters<OpenCache>[0]): Promise<SharedCache> {
  return (await import("./open_cache.ts")).openCache(options);
}

/** Chooses the fds that a forked store can have, or gets the given ones. Undefined if the directory of `store` has all. */
export async function fdsToFork(store: Store, given?: readonly FdEntry[]): Promise<CachedFds | undefined> {
  if (store.backend === LOCAL) return undefined;
  const { chooseCached, fetchGiven } = await import("./choose_cached.ts");
  return given === undefined ? await chooseCached(store) : await fetchGiven(store, given);
}
