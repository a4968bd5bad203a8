import { digestFd, findFd, formatFd, type Store } from "../../fd/mod.ts";
import type { FdStat } from "../terms/answers.ts";
import { exactOf } from "../answering/exact_bytes.ts";
import { diskBytesOf, namesById, summaryOf } from "../answering/fd_summary.ts";
import type { StatRequest } from "../requests/list_request.ts";

/**
 * Everything known about one fd. The sha-256 is computed at the first request and recorded; a live fd has none.
 *
 * Throws `not_found`, `removed`, `store_corrupt`.
 */
export async function statFd(store: Store, request: StatRequest): Promise<FdStat> {
  const entry = findFd(store, request.fd);
  const { parent } = entry;
  await store.shared?.prepare({ kind: "names" });
  return {
    type: "fd_stat",
    ...summaryOf(entry, namesById(store).get(entry.id) ?? []),
    disk_bytes: diskBytesOf(entry),
    page_size: entry.pageSize,
    sha256: entry.state === "live" ? undefined : await digestFd(store, entry),
    command: entry.command,
    cwd: entry.cwd,
    exit_code: entry.exitCode,
    signal: entry.signal,
    duration_ms: entry.durationMs,
    exact: exactOf(entry),
    parent: parent &&
      { fd: formatFd(parent.id), mode: parent.mode, start: parent.start, count: parent.count },
  };
}
