/** Loads the code that unpacks with the first use. */

import type { FdEntry } from "../records/fd_entry.ts";
import type { Store } from "../store/open_store.ts";

/**
 * Returns the path of a file with the content of `entry` and nothing else. For content that is
 * packed or in the record it is made, verified, and stays until it has not been read for a day.
 *
 * @throws {FdError} `store_corrupt`, `storage_full`, `write_error`.
 */
export async function plainFile(store: Store, entry: FdEntry): Promise<string> {
  if (store.shared !== undefined) {
    const { fetchWhole } = await import("./fetch_whole.ts");
    await fetchWhole(store, entry);
  }
  const { unpackFd } = await import("./unpack_fd.ts");
  return unpackFd(store, entry);
}
