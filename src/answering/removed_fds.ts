/** The fds that a cleaning removed, as an answer lists them. */

import { formatFd, type Removal } from "../../fd/mod.ts";

export function removedFds(removals: readonly Removal[]) {
  return removals.map(({ id, byteCount, source, why }) => ({
    fd: formatFd(id),
    bytes: byteCount,
    source,
    why,
  }));
}
