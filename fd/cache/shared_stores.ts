/** The door to the code for shared stores, which is loaded with the first use. */

import type { ObjectStore } from "../remote/object_store.ts";
import { parseStoreUrl, type StoreAddress } from "../remote/store_url.ts";
import type { Environment, Store } from "../store/open_store.ts";
import { type Cache, openCache } from "./open_cache.ts";

async function connectStore(store: Store, address: StoreAddress, env: Environment): Promise<ObjectStore> {
  const { connectStore } = await import("./connect_store.ts");
  return await connectStore(store, address, env);
}

/** Loads what `fork` and `spawn` need. */
async function loadForking(): Promise<
  Pick<typeof import("./choose_cached.ts"), "chooseCached" | "fetchGiven">
> {
  return await import("./choose_cached.ts");
}

export type { Cache };
export const sharedStores = { connectStore, loadForking, openCache, parseStoreUrl };
