import { findFd } from "../records/find_fd.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { bindForAll } from "../store/bind_name.ts";
import { formatFd } from "../store/fd_id.ts";
import type { Store } from "../store/open_store.ts";

/**
 * Shares an fd that was just sealed, and binds its names, if the store is shared: a put cannot wait for that. If sharing
 * fails, the fd stays on this host, to be shared later. Returns it with its id from now on.
 */
export async function shareSealed(
  store: Store,
  entry: FdEntry,
  names: readonly string[] = [],
): Promise<FdEntry> {
  const { backend } = store;
  if (backend.isDoneWhenSealed) return entry;
  const { id } = await backend.share(entry.id);
  for (const name of names) await bindForAll(store, name, id);
  return id === entry.id ? entry : findFd(store, formatFd(id));
}
