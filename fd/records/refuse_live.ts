/** Refuses live fds for operations that need the whole content. */

import { fail } from "../disk/errors.ts";
import type { FdEntry } from "./fd_entry.ts";
import { formatFd } from "../store/fd_id.ts";

/** @throws {FdError} `invalid_parameter` for a live fd. */
export function refuseLive(entry: Pick<FdEntry, "id" | "state">): void {
  if (entry.state !== "live") return;
  fail({
    kind: "invalid_parameter",
    field: "fd",
    got: formatFd(entry.id),
    wanted: "an fd that is not being written",
  });
}
