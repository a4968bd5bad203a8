/** Stores a slice as an fd of its own, with its origin. */

import { derivedSource, type FdEntry } from "../records/fd_entry.ts";
import { giveUpPut } from "../put/put_bytes.ts";
import type { Slice } from "./locate_slice.ts";
import type { Store } from "../store/open_store.ts";
import { deferPut } from "../put/put.ts";
import { readSlice } from "./read_slice.ts";

/** Stores `slice` of `entry` as a new fd with the same page size, and binds `names` to it. */
export function deriveFd(
  store: Store,
  entry: FdEntry,
  slice: Slice,
  options: { names?: string[] | undefined } = {},
): FdEntry {
  // Read first, so that a slice that cannot be read uses no id.
  const chunks = readSlice(store, entry, slice).chunks()[Symbol.iterator]();
  try {
    let chunk = chunks.next();
    const put = deferPut(store, {
      source: derivedSource(entry, "extract"),
      pageSize: entry.pageSize,
      names: options.names,
      maxBytes: 0,
      parent: { id: entry.id, mode: slice.mode, start: slice.start, count: slice.count },
    });
    try {
      for (; chunk.done !== true; chunk = chunks.next()) put.write(chunk.value);
      return put.seal();
    } catch (thrown) {
      giveUpPut(put);
      throw thrown;
    }
  } finally {
    // Closes the content if it was not read to the end.
    chunks.return?.();
  }
}
