/** The line that seals an fd: final counts and how writing ended. */

import type { SealLine } from "./record_line.ts";
import type { ScanTotals } from "../index/scan_text.ts";

/** How a put ended. */
export interface PutEnd {
  /** Exit code of the command, 0 to 255. */
  exitCode?: number | undefined;
  /** The signal that ended the command: `SIGTERM`. */
  signal?: string | undefined;
  /** Run time of the command; rounded when stored. */
  durationMs?: number | undefined;
  /** Whether the content is truncated: the disk was full or the writer was stopped. */
  incomplete?: boolean | undefined;
}

/** Builds the seal line for content with these totals. */
export function sealLine(totals: ScanTotals, end: PutEnd, gap: SealLine["gap"]): SealLine {
  return {
    event: "seal",
    at: Date.now(),
    bytes: totals.byteCount,
    chars: totals.charCount,
    line_feeds: totals.lineFeedCount,
    lines: totals.lineCount,
    pages: totals.pageCount,
    sum: totals.sum,
    ended: end.incomplete ? "incomplete" : "whole",
    gap,
    exit_code: end.exitCode,
    signal: end.signal,
    duration_ms: end.durationMs === undefined ? undefined : Math.round(end.durationMs),
  };
}
