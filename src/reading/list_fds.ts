/**
 * What the store holds, newest last. The answer is bounded; what it leaves out is told.
 *
 * @module
 */

import { type FdFailure, listFds, listRemoved, type Store } from "../../fd/mod.ts";
import type { FdList } from "../terms/answers.ts";
import type { Outcome } from "../terms/command.ts";
import { namesById, removedSummaryOf, summaryOf } from "../answering/fd_summary.ts";
import type { ListRequest } from "../requests/list_request.ts";

export const DEFAULT_LIMIT = 100;

/**
 * The newest fds of the store, or its tombstones; records that cannot be read are told as failures.
 */
export function listOutcome(store: Store, request: ListRequest): Outcome {
  const failures: FdFailure[] = [];
  const answer = listAnswer(store, request, (failure) => failures.push(failure));
  return { exitCode: failures.length === 0 ? 0 : 1, answer, failures };
}

function listAnswer(
  store: Store,
  request: ListRequest,
  onUnreadable: (failure: FdFailure) => void,
): FdList {
  const { limit = DEFAULT_LIMIT, all = false, removed = false } = request;
  const newest = <Item>(items: Item[]) => all ? items : items.slice(-limit);
  const entries = removed ? [] : listFds(store, onUnreadable);
  const tombs = removed ? listRemoved(store) : [];
  const names = namesById(store);
  const fds = [
    ...newest(entries).map((entry) => summaryOf(entry, names.get(entry.id) ?? [])),
    ...newest(tombs).map(removedSummaryOf),
  ];
  const total = entries.length + tombs.length;
  const isWhole = fds.length === total;
  const what = removed ? "removed fds" : "fds";
  return {
    type: "fd_list",
    total,
    message: isWhole ? undefined : `Showing the newest ${fds.length} of ${total} ${what}.`,
    next: isWhole ? undefined : { command: "ls", args: { removed: removed || undefined, all: true } },
    fds,
  };
}
