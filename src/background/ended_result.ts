/**
 * Makes the `fd_result` for an fd that another process has ended: the same as `run` would have answered.
 *
 * @module
 */

import type { FdEntry, FdFailure, Store } from "../../fd/mod.ts";
import type { FdResult } from "../terms/answers.ts";
import { DEFAULT_THRESHOLD_CHARS, type PreviewKind } from "../capturing/capture_options.ts";
import { storedResult } from "../capturing/stored_result.ts";

/** What the answer needs beyond the fd's record. */
export interface EndedNews {
  preview: PreviewKind;
  /** Default: a page. */
  previewChars?: number | undefined;
  /** Sentences to add to the message. */
  remarks: readonly string[];
}

/** Makes the answer for an ended fd. A preview that cannot be read is left out and reported as a failure. */
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

/** Returns the command's exit code or, if no command ran, 1 for an incomplete fd. */
export function exitCodeOf({ state, exitCode }: FdEntry): number {
  return exitCode ?? (state === "incomplete" ? 1 : 0);
}
