/**
 * The line that ends an fd's writing: what the content came to, and how it ended.
 *
 * @module
 */

import type { SealLine } from "./record_line.ts";
import type { ScanTotals } from "../index/scan_text.ts";

/** What is known of an fd after its last byte. */
export interface PutEnd {
  /** Of the command, 0 to 255. */
  exitCode?: number | undefined;
  /** What ended the command: `SIGTERM`. */
  signal?: string | undefined;
  /** How long the command ran; rounded. */
  durationMs?: number | undefined;
  /** Whether more should have come: the disk was full, the writer was stopped. */
  incomplete?: boolean | undefined;
}

/** The seal line for content with these totals. */
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
