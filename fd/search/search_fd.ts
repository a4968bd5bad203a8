/**
 * The door to searching: what it needs (patterns, automata) is loaded with the first search and not before.
 *
 * @module
 */

import type { FdEntry } from "../records/fd_entry.ts";
import type { Matches, MatchRequest } from "./match_lines.ts";
import type { Store } from "../store/open_store.ts";

/** How much is looked at between two pauses. */
const PAUSE_BYTES = 16 * 1024 * 1024;

/**
 * Searches an fd; see `matchSteps` in `match_lines.ts` for what it throws. Now and then `pause` is awaited, with the number
 * of bytes that were looked at; what it throws ends the search.
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
