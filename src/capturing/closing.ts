/** Makes the closing line of output that a person saw as it came. */

import { type FdEntry, formatFd } from "../../fd/mod.ts";
import { countLines } from "../../fd/system.ts";
import type { Report, ReportOf } from "../calls/terms/reports.ts";
import type { NextCall } from "../calls/terms/next_call.ts";

/** The end of a command whose output was shown. */
export type ShownEnd = Pick<
  ReportOf<"fd_closed">["facts"],
  "exit_code" | "signal" | "duration_ms" | "stream" | "marked"
>;

/** The closing of an fd. */
export function closingOf(
  entry: FdEntry,
  end: ShownEnd,
  { remarks, shared, next }: {
    remarks: readonly string[];
    shared?: false | undefined;
    next?: NextCall | undefined;
  },
): Report {
  return {
    type: "fd_closed",
    facts: {
      fd: formatFd(entry.id),
      lines: entry.lineCount,
      bytes: entry.byteCount,
      ...end,
      state: entry.state === "sealed" ? undefined : entry.state,
      dropped_bytes: entry.gap?.droppedBytes,
      gap_at_byte: entry.gap?.atByte,
      shared,
    },
    message: remarks.join(" "),
    next,
  };
}

/** The closing of output that was not stored. */
export function unstoredClosing(bytes: Uint8Array, end: ShownEnd, remarks: readonly string[]): Report {
  const facts = { lines: countLines(bytes), bytes: bytes.length, ...end };
  return { type: "fd_closed", facts, message: remarks.join(" ") };
}
