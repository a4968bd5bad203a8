/** Loads the search code (patterns, automata) with the first search. @module */

import type { FdEntry } from "../records/fd_entry.ts";
import type { Matches, MatchRequest } from "./match_lines.ts";
import type { Store } from "../store/open_store.ts";

/** Bytes searched between two pauses. */
const PAUSE_BYTES = 16 * 1024 * 1024;

/**
 * Searches an fd; for errors see `matchSteps` in `match_lines.ts`. Awaits `pause` at intervals with the number of
 * bytes searched; if it throws, the search ends.
 */
export async function searchFd(
  store: Store,
  entry: FdEntry,
  request: MatchRequest,
  pause?: ((doneBytes: number) => Promise<void>) | undefined,
): Promise<Matches> {
  const { matchLines, matchSteps } = await import("./match_lines.ts");
  if (pause === undefined) return matchLines(store, entry, request);
  const steps = matchSteps(store, entry, request);
  let pausedAtByte = 0;
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (value - pausedAtByte < PAUSE_BYTES) continue;
    pausedAtByte = value;
    try {
      await pause(value);
    } catch (thrown) {
      steps.throw(thrown);
    }
  }
}
