/** Loads the code for shared stores with the first use: a local store's calls do not need it. */

type OpenCache = typeof import("./open_cache.ts").openCache;

/** An open cache of a shared store. */
export type SharedCache = Awaited<ReturnType<OpenCache>>;

/** Facts about a shared store and its cache that need no request. */
export type CacheFacts = Awaited<ReturnType<SharedCache["facts"]>>;

/** Opens the cache of a shared store. Throws {@link FdError} like `openStore`. */
export async function openCache(options: Parameters<OpenCache>[0]): Promise<SharedCache> {
  return (await import("./open_cache.ts")).openCache(options);
}

/** Loads what `fork` and `spawn` need. */
export async function loadForking(): Promise<
  Pick<typeof import("./choose_cached.ts"), "chooseCached" | "fetchGiven">
> {
  return await import("./choose_cached.ts");
}
