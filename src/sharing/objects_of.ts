/** The object store of a call's shared store, for what is not about the cache. */

import { type ObjectStore, openObjectStore, parseStoreUrl, type StoreOptions } from "../../fd/mod.ts";
import type { Host } from "../terms/command.ts";

/** Opens the object store at `url`. Nothing is sent yet. */
export function objectsOf(url: string, host: Host, options: Partial<StoreOptions> = {}): ObjectStore {
  const address = parseStoreUrl(url, host.storeOption === undefined ? "FDTOOL_STORE" : "--store");
  return openObjectStore(address, { env: host.env, signal: host.signal, ...options });
}
