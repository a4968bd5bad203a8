/**
 * The door to searching: what it needs (patterns, automata) is loaded with the first search and not before.
 *
 * @module
 */

import type { FdEntry } from "./find_fd.ts";
import type { Matches, MatchRequest } from "./match_lines.ts";
import type { Store } from "./open_store.ts";

/** Searches an fd; see `matchLines` in `match_lines.ts` for what it throws. */
export async function searchFd(store: Store, entry: FdEntry, request: MatchRequest): Promise<Matches> {
  const { matchLines } = await import("./match_lines.ts");
  return matchLines(store, entry, request);
}
