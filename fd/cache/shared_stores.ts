/** The door to the code for shared stores, which is loaded with the first use. @module */

import { connectStore } from "./connect_store.ts";
import { type Cache, openCache } from "./open_cache.ts";
import { parseStoreUrl } from "../remote/store_url.ts";

export type { Cache };
export const sharedStores = { connectStore, openCache, parseStoreUrl };
