/**
 * The bound names.
 *
 * @module
 */

import { listNames, type Store } from "../../fd/mod.ts";
import type { RefList } from "../terms/answers.ts";
import { boundReference } from "../answering/bound_reference.ts";
import { firstFew, MOST_LISTED } from "../answering/first_few.ts";
import type { RefsRequest } from "../requests/list_request.ts";

/** The names, in the order of their spelling; those whose fd is gone say so. */
export function listRefs(
  store: Store,
  { all = false }: RefsRequest,
): RefList {
  const names = listNames(store);
  const { shown, more } = firstFew(names, all ? Infinity : MOST_LISTED);
  return {
    type: "ref_list",
    ...(more === undefined ? {} : {
      total: names.length,
      message: `Showing the first ${shown.length} of ${names.length} names.`,
      next: { command: "refs" as const, args: { all: true } },
    }),
    refs: shown.map((bound) => boundReference(store, bound)),
  };
}
