/**
 * The `fd_result` of an fd none of whose content is shown: it is still being written, or it is an answer that was too
 * long for one message.
 *
 * @module
 */

import { type FdEntry, formatFd } from "../../fd/mod.ts";
import type { FdResult } from "../terms/answers.ts";
import type { Message, NextCall } from "../terms/next_call.ts";

/** What is known of the fd, and what is said of it. */
export interface UnshownNews {
  entry: Pick<FdEntry, "id" | "source" | "pageCount" | "lineCount" | "charCount" | "byteCount">;
  /** Undefined where it is sealed. */
  state?: "live" | undefined;
  /** While it is live: from where on there is something new. */
  cursor?: number | undefined;
  message: Message;
  /** The call that reads it. */
  next: NextCall;
}

/** The answer: of what size it is, no preview, how to read it. */
export function unshownResult(news: UnshownNews): FdResult {
  const { entry, state, cursor, message, next } = news;
  return {
    type: "fd_result",
    fd: formatFd(entry.id),
    pages: entry.pageCount,
    truncated: false,
    lines: "0-0",
    total_lines: entry.lineCount,
    source: entry.source,
    chars: entry.charCount,
    bytes: entry.byteCount,
    state,
    cursor,
    message,
    next,
    preview: [],
  };
}
