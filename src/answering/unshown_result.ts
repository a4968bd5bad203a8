/**
 * Makes the `fd_result` of an fd without a preview: it is live, or an answer that was too long for one message.
 */

import { type FdEntry, formatFd } from "../../fd/mod.ts";
import type { FdResult } from "../terms/answers.ts";
import type { Message, NextCall } from "../terms/next_call.ts";

export interface UnshownOptions {
  entry: Pick<FdEntry, "id" | "source" | "pageCount" | "lineCount" | "charCount" | "byteCount">;
  /** Undefined: sealed. */
  state?: "live" | undefined;
  /** For a live fd: where new content starts. */
  cursor?: number | undefined;
  message: Message;
  next: NextCall;
}

export function unshownResult(options: UnshownOptions): FdResult {
  const { entry, state, cursor, message, next } = options;
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
