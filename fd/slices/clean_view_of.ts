/** Shows slices by their clean view (contract, The clean view), if that differs from their bytes. */

import type { CleanSlice } from "./clean_slice.ts";
import type { Slice } from "./locate_slice.ts";
import { sliceNeedsCleaning } from "./needs_cleaning_in.ts";
import type { OpenContent } from "./open_content.ts";
import type { Store } from "../store/open_store.ts";
import { whenReady } from "./when_ready.ts";

/**
 * Returns the clean view of a slice; undefined if it is the slice's bytes. If the index says so, nothing is read.
 *
 * @throws {FdError} `store_corrupt` if the bytes differ from those stored.
 */
export async function cleanViewOf(
  store: Store,
  content: OpenContent,
  slice: Slice,
): Promise<CleanSlice | undefined> {
  if (!await whenReady(content, (ready) => sliceNeedsCleaning(ready, slice))) return undefined;
  const { cleanSlice } = await import("./clean_slice.ts");
  return await whenReady(content, (ready) => cleanSlice(store, ready, slice));
}
