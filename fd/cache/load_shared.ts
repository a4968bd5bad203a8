/** Loads the code for shared stores with the first use: a local store's calls do not need it. */

import type { Cache, CacheOptions } from "./open_cache.ts";

/** An open cache of a shared store. */
export type SharedCache = Cache;

/** Opens the cache of a shared store. Throws {@link FdError} like `openStore`. */
export async function openCache(options: CacheOptions): Promise<SharedCache> {
  return (await import("./open_cache.ts")).openCache(options);
}

/** Loads what `fork` and `spawn` need. */
export async function loadForking(): Promise<
  Pick<typeof import("./choose_cached.ts"), "chooseCached" | "fetchGiven">
> {
  return await import("./choose_cached.ts");
}
