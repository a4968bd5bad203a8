/** Shows what of a shared store is shared, pending and cached (contract, Shared stores). */

import { formatFd, type SharedCache } from "../../fd/mod.ts";
import type { Report } from "../terms/reports.ts";

/** The most pending fds that are listed. */
const MAX_LISTED = 20;

export async function shownStore(cache: SharedCache): Promise<Report> {
  const { identity, size, boundBytes, highestId, pending } = await cache.facts();
  const dateOf = (ms: number | undefined) => ms === undefined ? undefined : new Date(ms).toISOString();
  const count = pending.length;
  return {
    type: "store_shown",
    facts: {
      store: identity?.place,
      id: identity?.id,
      created: dateOf(identity?.createdMs),
      highest_id: highestId,
      cache: cache.store.path,
      cached_fds: size.fdCount,
      cached_bytes: size.diskBytes,
      cache_bound: boundBytes,
      oldest_read: dateOf(size.oldestReadMs),
      pending: count,
      pending_fds: pending.slice(0, MAX_LISTED).map(({ id, sinceMs }) => ({
        fd: formatFd(id),
        since: dateOf(sinceMs),
      })),
    },
    message: identity === undefined
      ? "This host has not reached the shared store yet."
      : count === 0
      ? "All fds of this host are shared."
      : `${count === 1 ? "1 fd of this host is" : `${count} fds of this host are`} not shared yet.`,
    next: count === 0 ? undefined : { command: "sync", args: { wait: true } },
  };
}
