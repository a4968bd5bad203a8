/** Searches fds, with pauses. */

import { failureIn } from "../disk/errors.ts";
import type { FdFailure } from "../failures.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { spanCopier, textCounter } from "./hit_spans.ts";
import { type LineFinder, lineFinder } from "./line_finder.ts";
import { type Matches, type MatchRequest, matchSteps } from "./match_lines.ts";
import { textEntry } from "../slices/text_entry.ts";
import type { Store } from "../store/open_store.ts";

/** Maximum bytes searched between two pauses, and maximum milliseconds, for a slow pattern. */
const PAUSE_BYTES = 16 * 1024 * 1024;
const PAUSE_MS = 50;

/** Awaited at intervals with the number of bytes searched; if it throws, the search ends. */
type Pause = (doneBytes: number) => Promise<void>;

/** The result of searching one fd: its matches, or why it could not be searched. */
export type FoundIn = { entry: FdEntry } & ({ found: Matches } | { failure: FdFailure });

/**
 * Searches each of `entries` in turn. Yields the result of each; one that cannot be read does not end the search.
 *
 * @throws {FdError} `invalid_parameter` for a pattern that is invalid, not supported or too large.
 */
export async function* searchFds(
  store: Store,
  entries: readonly FdEntry[],
  request: Omit<MatchRequest, "extract">,
  pause?: Pause | undefined,
): AsyncGenerator<FoundIn, void> {
  const finder = lineFinder(request);
  let doneBytes = 0;
  for (const entry of entries) {
    const pauseWithin = pause && ((bytes: number) => pause(doneBytes + bytes));
    try {
      const text = request.clean === true ? await textEntry(store, entry) : entry;
      yield { entry: text, found: await searchFd(store, text, request, pauseWithin, finder) };
    } catch (thrown) {
      yield { entry, failure: failureIn(thrown) };
    }
    doneBytes += entry.byteCount;
  }
}

/** Searches an fd, by its `finder` if the pattern has one; for errors see `matchSteps` in `match_lines.ts`. */
export async function searchFd(
  store: Store,
  entry: FdEntry,
  request: MatchRequest,
  pause?: Pause | undefined,
  finder?: LineFinder | undefined,
): Promise<Matches> {
  if (entry.byteCount > 0) await store.backend.refresh({ kind: "block", id: entry.id, block: 0 });
  const { onlyMatching = false, extract, keep } = request;
  const steps = matchSteps(store, entry, request, finder, {
    copySpans: onlyMatching && extract !== undefined ? spanCopier(store, request) : undefined,
    texts: onlyMatching && extract === undefined && keep > 0 ? textCounter(store, request) : undefined,
  });
  let pausedAtByte = 0;
  let pausedAt = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (typeof value !== "number") {
      try {
        await value;
      } catch (thrown) {
        steps.throw(thrown);
      }
      continue;
    }
    if (pause === undefined) continue;
    if (value - pausedAtByte < PAUSE_BYTES && performance.now() - pausedAt < PAUSE_MS) continue;
    pausedAtByte = value;
    pausedAt = performance.now();
    try {
      await pause(value);
    } catch (thrown) {
      steps.throw(thrown);
    }
  }
}
