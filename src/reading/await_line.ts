/** Waits for a line: `wait --until`, `run --until`. */

import { awaitFd, findFd, formatFd, searchFd as findMatches, spanFinder, type Store } from "../../fd/mod.ts";
import { fail, failureIn } from "../../fd/system.ts";
import { unshownResult } from "../answers/parts/fd_summary.ts";
import { counted } from "../answers/parts/grouped_digits.ts";
import { endedResult, exitCodeOf } from "../capturing/background/ended_result.ts";
import type { PreviewKind } from "../capturing/capture_options.ts";
import { TIMED_OUT } from "../calls/streams/verdict.ts";
import type { Outcome } from "../calls/terms/command.ts";
import { searchFd } from "./searching/search_fd.ts";

interface AwaitedLine {
  fd: string;
  /** A regular expression for a line of the output. */
  until: string;
  /** In time of `performance.now`; undefined: as long as it takes. */
  deadlineMs: number | undefined;
  /** The limit as it was written, for the next call. */
  timeout: string | undefined;
  preview: PreviewKind;
  onLook?: (() => void) | undefined;
}

/** Searching again takes at most this part of the time. */
const SEARCHING_PART = 0.1;

/**
 * Answers with the first line that matches, or with how the fd ended before one came: then the exit code is the command's
 * own, or 1 for one that ended with 0.
 *
 * @throws {FdError} `not_found`, `removed`, `store_corrupt`; `invalid_parameter` for a pattern that is invalid.
 */
export async function awaitLine(store: Store, awaited: AwaitedLine): Promise<Outcome> {
  const { fd, until, deadlineMs = Infinity, timeout, preview, onLook } = awaited;
  let entry = findFd(store, fd);
  for (;;) {
    const startMs = performance.now();
    const matching = { pattern: [until], clean: true, keep: 1, stopAfter: 1 };
    if ((await findMatches(store, entry, matching)).total > 0) {
      return { exitCode: 0, answer: await searchFd(store, { fd, pattern: [until], max_count: 1 }) };
    }
    const nowMs = performance.now();
    if (entry.state !== "live" || nowMs >= deadlineMs) break;
    const again = Math.min(deadlineMs, nowMs + (nowMs - startMs) / SEARCHING_PART);
    const searched = entry.byteCount;
    entry = await awaitFd(store, entry, { for: "end", deadlineMs: again, onLook });
    if (entry.state === "live" && entry.byteCount === searched) {
      entry = await awaitFd(store, entry, { for: "news", deadlineMs, onLook });
    }
  }
  const handle = formatFd(entry.id);
  if (entry.state === "live") {
    const lines = counted(entry.lineCount, "line");
    const message = `${handle} is still live: ${lines} so far, no match.`;
    const next = { command: "wait", args: { fd: handle, until, timeout } } as const;
    const answer = unshownResult(entry, message, next, entry.byteCount);
    return { exitCode: TIMED_OUT, answer };
  }
  const remarks = [`${handle} ended before a line matched.`];
  const ended = await endedResult(store, entry, { preview, remarks });
  return { exitCode: exitCodeOf(entry) || 1, ...ended };
}

/**
 * Checks a pattern before anything is started for it.
 *
 * @throws {FdError} `invalid_parameter`.
 */
export function checkAwaited(until: string): void {
  try {
    spanFinder(until);
  } catch (thrown) {
    fail({ ...failureIn(thrown, "invalid_parameter"), field: "until" });
  }
}
