/** Makes the `fd_result` of an fd that another process ended: the same as `run` would have returned. */

import { type FdEntry, prepareContent, type Store } from "../../../fd/mod.ts";
import { type FdFailure, refuse } from "../../../fd/system.ts";
import type { FdResult } from "../../calls/terms/answers.ts";
import { type CaptureOptions, DEFAULT_THRESHOLD_CHARS } from "../capture_options.ts";
import { type ResultContext, storedResult } from "../stored_result.ts";
import type { Outcome } from "../../calls/terms/command.ts";

/** `previewChars`: a page by default. */
type EndedOptions =
  & Omit<ResultContext, "options">
  & Pick<CaptureOptions, "preview">
  & { previewChars?: number | undefined; about?: string | undefined; digest?: number | undefined };

/** Makes the answer. A preview that cannot be read is left out and reported as a failure. */
export async function endedResult(
  store: Store,
  entry: FdEntry,
  { preview, previewChars, about, digest, remarks, reader }: EndedOptions,
): Promise<{ answer: FdResult; failures: FdFailure[] }> {
  const size = { thresholdChars: DEFAULT_THRESHOLD_CHARS, previewChars: previewChars ?? entry.pageSize };
  const options = { ...size, preview, about, digest };
  return await storedResult({ store, entry }, { options, remarks, reader });
}

/**
 * Makes the answer with the digest `page`, from 1, each of at most `previewChars`: what matters most among what those before it
 * did not show.
 *
 * @throws {FdError} `invalid_parameter` if nothing is left for it.
 */
export async function furtherDigest(
  store: Store,
  entry: FdEntry,
  page: number,
  previewChars: number | undefined,
): Promise<{ answer: FdResult; failures: FdFailure[] }> {
  await prepareContent(store, entry);
  const digest = page === 1 ? undefined : page;
  const result = await endedResult(store, entry, { preview: "digest", previewChars, digest, remarks: [] });
  if (digest === undefined || result.failures.length > 0 || result.answer.lines !== "0-0") return result;
  const wanted = "a lower number: the digests before it show all that matters";
  return refuse("digest", digest, wanted);
}

/** The outcomes of several fds in one: their answers in order, and the first exit code that is not 0. */
export function inOneOutcome(outcomes: readonly Outcome[]): Outcome {
  const [answer, ...furtherAnswers] = outcomes.flatMap((each) => each.answer ?? []);
  const exitCode = outcomes.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? 0;
  const failures = outcomes.flatMap(({ failures = [] }) => failures);
  return { exitCode, answer, furtherAnswers, failures };
}

/** Returns the command's exit code; if no command ran, 1 for an incomplete fd. */
export function exitCodeOf({ state, exitCode }: FdEntry): number {
  return exitCode ?? (state === "incomplete" ? 1 : 0);
}
