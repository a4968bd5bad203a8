/** Gets content of a shared store before it is read all at once. */

import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { locateIn, type SliceRequest } from "./locate_slice.ts";
import { openContent } from "./open_content.ts";
import type { Store } from "../store/open_store.ts";

/**
 * Gets a slice of `entry` into the cache, if `store` is one: reading it waits for nothing then. Wrong requests and damage are
 * left to who reads.
 *
 * @throws {FdError} `store_unreachable` and the like; `storage_full`.
 */
export async function prepareContent(
  store: Store,
  entry: FdEntry,
  request: SliceRequest = { all: true },
): Promise<void> {
  if (store.shared?.fetches(entry.id) !== true || entry.byteCount === 0) return;
  await store.shared.prepare({ kind: "block", id: entry.id, block: 0 });
  const content = openContent(store, entry);
  try {
    if (content.prepareEntries === undefined) return;
    await (await loadPreparing()).prepareSlice(content, request);
    const { fromByte, toByte } = locateIn(content, request);
    await content.prepare?.(Math.floor(fromByte / BLOCK_BYTES), Math.ceil(toByte / BLOCK_BYTES));
  } finally {
    content.close();
  }
}

/** Loads what prepares content for a read, which a read of plain content does without. */
export async function loadPreparing(): Promise<typeof import("./prepare_slice.ts")> {
  return await import("./prepare_slice.ts");
}
