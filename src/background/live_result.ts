/**
 * Says in an `fd_result` of an fd that is still being written how it can be read, without showing any of it: what has
 * arrived is what a cursor asks for.
 *
 * @module
 */

import { type FdEntry, formatFd } from "../../fd/mod.ts";
import type { FdResult } from "../answers.ts";
import { nextCommand } from "../next_command.ts";

/** What the fd's own record does not say. */
export interface LiveNews {
  /** What is known of it. */
  entry: Pick<FdEntry, "id" | "source" | "pageCount" | "lineCount" | "charCount" | "byteCount">;
  /** From where on there is something new. */
  cursor: number | undefined;
  message: string;
  next: readonly string[];
  storeOption: string | undefined;
}

/** The answer for an fd that is live. */
export function liveResult({ entry, cursor, message, next, storeOption }: LiveNews): FdResult {
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
    state: "live",
    cursor,
    message,
    next: nextCommand(next, storeOption),
    preview: [],
  };
}
