/** Makes the `fd_result` of an fd that another process ended: the same as `run` would have returned. */

import { type FdEntry, prepareContent, type Store } from "../../../fd/mod.ts";
import { type FdFailure, refuse } from "../../../fd/system.ts";
import type { ReadRequest } from "../../calls/requests/read_request.ts";
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
 * Makes the answer with the digest `digest`, from 1, each of at most `max_chars`: what matters most among what those before it
 * did not show, for what the caller looks for if it says so.
 *
 * @throws {FdError} `invalid_parameter` if nothing is left for it.
 */
export async function digestResult(
  store: Store,
  entry: FdEntry,
  { about, digest = 1, max_chars }: Pick<ReadRequest, "about" | "digest" | "max_chars">,
): Promise<{ answer: FdResult; failures: FdFailure[] }> {
  await prepareContent(store, entry);
  const options = { preview: "digest", previewChars: max_chars, about, remarks: [] } as const;
  if (digest === 1) return await endedResult(store, entry, options);
  const result = await endedResult(store, entry, { ...options, digest });
  if (result.failures.length > 0 || result.answer.lines !== "0-0") return result;
  return refuse("digest", digest, "a lower number: the digests before it show all that matters");
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
