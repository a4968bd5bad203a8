/**
 * Says in an `fd_result` how an fd has ended that somebody else wrote: what `run` would have said in its place.
 *
 * @module
 */

import type { FdEntry, FdFailure, Store } from "../../fd/mod.ts";
import type { FdResult } from "../terms/answers.ts";
import { DEFAULT_THRESHOLD_CHARS, type PreviewKind } from "../capturing/capture_options.ts";
import { storedResult } from "../capturing/stored_result.ts";

/** What the fd's own record does not say. */
export interface EndedNews {
  preview: PreviewKind;
  /** Default: a page. */
  previewChars?: number | undefined;
  /** Sentences that follow the message's own. */
  remarks: readonly string[];
}

/** The answer for an fd that has ended. A preview that cannot be read is left out, and told as a failure. */
export function endedResult(
  store: Store,
  entry: FdEntry,
  { preview, previewChars, remarks }: EndedNews,
): { answer: FdResult; failures: FdFailure[] } {
  const options = {
    thresholdChars: DEFAULT_THRESHOLD_CHARS,
    preview,
    previewChars: previewChars ?? entry.pageSize,
  };
  return storedResult(store, entry, { options, remarks });
}

/** The exit code that tells how an fd ended: its command's own or, where none ran, 1 if it is incomplete. */
export function exitCodeOf({ state, exitCode }: FdEntry): number {
  return exitCode ?? (state === "incomplete" ? 1 : 0);
}
