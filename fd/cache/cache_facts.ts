import type { CacheSize } from "./bound_cache.ts";
import type { Identity } from "./connect_store.ts";

/** Facts about a shared store and its cache that need no request. */
export interface CacheFacts {
  /** Undefined until the store was reached once. */
  identity: Identity | undefined;
  size: CacheSize;
  boundBytes: number;
  highestId: number;
  /** The fds that are not shared yet, and when they were stored. */
  pending: { id: number; sinceMs: number }[];
}
