/** `read --follow`: the answers together cover an fd as it grows, as reads from cursor to cursor would. */

import {
  awaitFd,
  cursorAt,
  type FdEntry,
  findFd,
  locateSlice,
  prepareContent,
  type Store,
} from "../../fd/mod.ts";
import type { FdContent } from "../terms/answers.ts";
import type { ReadRequest } from "../requests/read_request.ts";
import { requestedSlice } from "../requests/requested_slice.ts";
import { TIMED_OUT } from "../streams/verdict.ts";
import { failUsage } from "../requests/usage_failure.ts";

export interface Following {
  request: ReadRequest;
  /** When to stop, in time of `performance.now`; undefined: when the fd ends. */
  deadlineMs: number | undefined;
  /** Reads the fd in the state of `entry`. */
  read(entry: FdEntry, request: ReadRequest): FdContent | Promise<FdContent>;
}

/**
 * Follows an fd from the start of the requested slice until it ends or the time is up, which the last answer reports.
 * Returns the exit code.
 */
export async function* followFd(
  store: Store,
  { request, deadlineMs = Infinity, read }: Following,
): AsyncGenerator<FdContent, number, void> {
  const { tail, since = 0, fd, number, exact } = request;
  let entry = findFd(store, fd);
  if (tail !== undefined) await prepareContent(store, entry, requestedSlice(request));
  let cursor = tail === undefined
    ? since
    : cursorAt(entry, locateSlice(store, entry, requestedSlice(request)).fromByte);
  for (;;) {
    const isOver = entry.state !== "live" || performance.now() >= deadlineMs;
    if (isOver || cursorAt(entry, entry.byteCount) > cursor) {
      const answer = await read(entry, { fd, number, exact, since: cursor });
      yield answer;
      cursor = answer.cursor ?? cursor;
    }
    if (isOver) return entry.state === "live" ? TIMED_OUT : 0;
    entry = await awaitFd(store, entry, { for: "news", deadlineMs });
  }
}

/** Refuses options that have no meaning for future content. */
export function checkFollowing(request: ReadRequest): void {
  const { start, count, extract_to_new_fd: extract, max_chars } = request;
  const other = Object.entries({
    start,
    count,
    extract: extract === true || undefined,
    "max-chars": max_chars,
  })
    .find(([, value]) => value !== undefined);
  if (other === undefined) return;
  const wanted = "use --since or --tail to choose where to start";
  failUsage({ kind: "conflict", command: "read", first: "--follow", second: `--${other[0]}`, wanted });
}
