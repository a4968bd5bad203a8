/**
 * `read --follow`: what arrives of an fd, as answers that tile it. Each is what a read by the cursor of the one before
 * would have answered.
 *
 * @module
 */

import { awaitFd, cursorAt, type FdEntry, findFd, locateSlice, type Store } from "../../fd/mod.ts";
import type { FdContent } from "../terms/answers.ts";
import type { ReadRequest } from "../requests/read_request.ts";
import { TIMED_OUT } from "../running/verdict.ts";
import { failUsage } from "../requests/usage_failure.ts";

/** How an fd is followed. */
export interface Following {
  request: ReadRequest;
  /** When to end, as `performance.now` counts; undefined for not before the fd does. */
  deadlineMs: number | undefined;
  /** Answers one read of an fd, as it is in `entry`. */
  read(entry: FdEntry, request: ReadRequest): FdContent;
}

/**
 * Follows an fd from where the request's slice begins, or from its start, to its end, which the last answer tells, or to
 * that of the time. Returns the exit code.
 */
export async function* followFd(
  store: Store,
  { request, deadlineMs = Infinity, read }: Following,
): AsyncGenerator<FdContent, number, void> {
  const { tail, mode = "page", since = 0, fd, number } = request;
  let entry = findFd(store, fd);
  let cursor = tail === undefined
    ? since
    : cursorAt(entry, locateSlice(store, entry, { mode, tail }).fromByte);
  for (;;) {
    const isOver = entry.state !== "live" || performance.now() >= deadlineMs;
    if (isOver || cursorAt(entry, entry.byteCount) > cursor) {
      const answer = read(entry, { fd, number, since: cursor });
      yield answer;
      cursor = answer.cursor ?? cursor;
    }
    if (isOver) return entry.state === "live" ? TIMED_OUT : 0;
    entry = await awaitFd(store, entry, { for: "news", deadlineMs });
  }
}

/** Refuses what has no meaning for content that is still to come. */
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
