/** Loads the code for shared stores with the first use: a local store's calls do not need it. */

import type { Cache, sharedStores } from "./shared_stores.ts";

/** An open cache of a shared store. */
export type SharedCache = Cache;

/** The functions of shared stores; the first call loads them. */
export async function loadShared(): Promise<typeof sharedStores> {
  return (await import("./shared_stores.ts")).sharedStores;
}
