/** Gets all of an fd's content into a cache, verified, for programs that read its file. */

import type { FdEntry } from "../records/fd_entry.ts";
import { prepareContent } from "../slices/prepare_content.ts";
import type { Store } from "../store/open_store.ts";

export async function fetchWhole(store: Store, entry: FdEntry): Promise<void> {
  await prepareContent(store, entry);
  store.shared?.pin(entry.id);
}
