/** Gets all of an fd's content into a cache, verified, for programs that read its file. */

import type { FdEntry } from "../records/fd_entry.ts";
import { openContent } from "../slices/open_content.ts";
import type { Store } from "../store/open_store.ts";

export function fetchWhole(store: Store, entry: FdEntry): void {
  const content = openContent(store, entry);
  try {
    for (let block = 0; block < content.index.blockCount; block++) content.block(block);
  } finally {
    content.close();
  }
  store.shared?.pin(entry.id);
}
