/** Searches fds. @module */

import type { FdEntry } from "../records/fd_entry.ts";
import type { Matches, MatchRequest } from "../search/match_lines.ts";
import { type FoundIn, searchFd as searchOne, searchFds as searchMany } from "../search/search_fd.ts";
import type { Store } from "../store/open_store.ts";
import { checkArguments } from "./argument_checks.ts";
import { anEntry, aStore, searchRequest, searchRequestOfMany, someEntries } from "./known_records.ts";

/**
 * Finds the lines of an fd that match a pattern of RE2 syntax, which cannot hang. `total` counts all of them, and
 * `hits` has the first `keep`. With `extract`, matching lines become a new fd.
 *
 * ```ts
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { openStore, putBytes, searchFd } from "./mod.ts";
 *
 * const dir = mkdtempSync("/tmp/fd-example-");
 * const store = openStore(dir);
 * const entry = putBytes(store, new TextEncoder().encode("ok\nerror: 1\nok\nerror: 2\n"), { source: "example" });
 * const { total, hits } = await searchFd(store, entry, { pattern: "^error", keep: 1 });
 * if (total !== 2 || hits[0]?.lineNumber !== 2) throw new Error();
 * rmSync(dir, { recursive: true });
 * ```
 *
 * @throws {FdError} `invalid_parameter` for a pattern that is invalid, not supported (lookaround, backreferences) or
 * too large, before an id is taken; `store_corrupt`; while storing, like {@link putBytes}.
 */
export async function searchFd(store: Store, entry: FdEntry, request: MatchRequest): Promise<Matches> {
  checkArguments({ store, entry, request }, { store: aStore, entry: anEntry, request: searchRequest });
  return await searchOne(store, entry, request);
}

/**
 * Searches each of `entries` in turn, and yields the result of each. One that cannot be read yields its `failure` and
 * does not end the search.
 *
 * @throws {FdError} `invalid_parameter` like {@link searchFd}.
 */
export function searchFds(
  store: Store,
  entries: readonly FdEntry[],
  request: Omit<MatchRequest, "extract">,
): AsyncGenerator<FoundIn, void> {
  checkArguments({ store, entries, request }, {
    store: aStore,
    entries: someEntries,
    request: searchRequestOfMany,
  });
  return searchMany(store, entries, request);
}
