/** Stores a slice as an fd of its own, with its origin. */

import { derivedSource, type FdEntry } from "../records/fd_entry.ts";
import { putPieces } from "../put/put_bytes.ts";
import type { Slice } from "./locate_slice.ts";
import type { Store } from "../store/open_store.ts";
import { readSlice } from "./read_slice.ts";

/**
 * Stores `slice` of `entry` as a new fd with the same page size, and binds `names` to it. A slice that cannot be read
 * uses no id.
 */
export function deriveFd(
  store: Store,
  entry: FdEntry,
  slice: Slice,
  options: { names?: string[] | undefined } = {},
): FdEntry {
  return putPieces(store, readSlice(store, entry, slice).chunks(), {
    source: derivedSource(entry, "extract"),
    pageSize: entry.pageSize,
    names: options.names,
    maxBytes: 0,
    parent: { id: entry.id, mode: slice.mode, start: slice.start, count: slice.count },
  });
}
