/** Loads the code for shared stores with the first use: a local store's calls do not need it. */

/** An open cache of a shared store. */
export type SharedCache = import("./shared_stores.ts").Cache;

/** The functions of shared stores; the first call loads them. */
export async function loadShared(): Promise<typeof import("./shared_stores.ts").sharedStores> {
  return (await import("./shared_stores.ts")).sharedStores;
}
