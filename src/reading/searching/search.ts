/** A search of an fd: its pattern and limits, the lines that it finds in words, and the same search again. */

import { type FdEntry, type Store } from "../../../fd/mod.ts";
import type { SearchRequest } from "../../calls/requests/search_request.ts";
import { setFlags } from "../../calls/requests/shared_fields.ts";

/** A search of one fd, and the most that its answer shows. */
export interface Search {
  store: Store;
  entry: FdEntry;
  request: SearchRequest;
  most: ShownMost;
  /** The search without its limits and output. */
  sought: SearchRequest;
}

/** The most that an answer shows. */
export interface ShownMost {
  matches: number;
  chars: number;
}

/** How lines are matched. */
export function matchingOf({ pattern, fixed, ignore_case, word, invert, exact }: SearchRequest) {
  return { pattern, fixed, ignoreCase: ignore_case, word, invert, clean: exact !== true };
}

/** The search without its limits and output. Without `fd`, in all fds. */
export function soughtBy(request: SearchRequest, fd: string | undefined): SearchRequest {
  return {
    ...(fd === undefined ? { all_fds: true } : { fd }),
    ...setFlags(request, ["fixed", "ignore_case", "word", "invert", "only_matching", "exact"]),
    pattern: request.pattern,
  };
}
