import { listNames, type Store } from "../../fd/mod.ts";
import type { RefList } from "../terms/answers.ts";
import { boundReference } from "../answering/bound_reference.ts";
import { firstFew } from "../answering/first_few.ts";
import { MAX_LISTED } from "../requests/shared_fields.ts";
import type { RefsRequest } from "../requests/list_request.ts";

/** The bound names in alphabetical order; those whose fd is missing say so. */
export async function listRefs(
  store: Store,
  request: RefsRequest,
): Promise<RefList> {
  await store.shared?.prepare({ kind: "names" });
  const { all = false, after, limit = all ? Infinity : MAX_LISTED } = request;
  const names = listNames(store);
  const last = after?.replace(/^ref:/, "");
  const { shown, more } = firstFew(
    last === undefined ? names : names.filter(({ name }) => name > last),
    limit,
  );
  return {
    type: "ref_list",
    ...(shown.length === names.length ? {} : {
      total: names.length,
      message: last === undefined
        ? `Showing the first ${shown.length} of ${names.length} names.`
        : `Showing ${shown.length} of ${names.length} names, after ref:${last}.`,
    }),
    ...(more === undefined
      ? {}
      : { next: { command: "refs" as const, args: nextRequest(request, shown.at(-1)?.name) } }),
    refs: await Promise.all(shown.map((bound) => boundReference(store, bound))),
  };
}

/** The call that lists all; after a part of all, or of names after one, the call that continues. */
function nextRequest({ limit, all, after }: RefsRequest, last: string | undefined): RefsRequest {
  const goesOn = after !== undefined || all === true && limit !== undefined;
  if (!goesOn) return { all: true };
  return { all: all || undefined, limit: all === true ? undefined : limit, after: last };
}
