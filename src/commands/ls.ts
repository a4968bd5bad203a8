/**
 * `ls`: what the store holds, newest last (contract, Commands). The answer is bounded; what it leaves out is told.
 *
 * @module
 */

import { type FdFailure, listFds, listRemoved, type Store } from "../../fd/mod.ts";
import type { FdList } from "../answers.ts";
import type { Command, Outcome } from "../command.ts";
import { namesById, removedSummaryOf, summaryOf } from "../fd_summary.ts";
import { openHostStore } from "../open_host_store.ts";
import type { ListRequest } from "../requests/list_request.ts";
import { failUsage } from "../usage_failure.ts";

const DEFAULT_LIMIT = 100;

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

export const command: Command = {
  spec: {
    name: "ls",
    aliases: ["list", "list_fds"],
    summary: "what the store holds, newest last",
    usage: "[options]",
    positionals: { least: 0, most: 0 },
    options: {
      limit: { kind: "integer", value: "N", help: `show the newest N (default ${DEFAULT_LIMIT})` },
      all: { kind: "flag", short: "a", help: "show all" },
      removed: { kind: "flag", help: "show what was removed instead, when and why" },
    },
    example: "fdtool ls --limit 20",
    exitCodes: [[0, "the list was printed"], [1, "refused or failed, or a record cannot be read"], [
      2,
      "wrong call",
    ]],
  },
  run({ options }, host) {
    const limit = options["limit"] as number | undefined;
    const all = options["all"] as boolean | undefined;
    const removed = options["removed"] as boolean | undefined;
    if (limit !== undefined && limit < 1) {
      failUsage({
        kind: "bad_value",
        command: "ls",
        option: "--limit",
        got: String(limit),
        wanted: "at least 1",
      });
    }
    if (limit !== undefined && all === true) {
      failUsage({
        kind: "conflict",
        command: "ls",
        first: "--limit",
        second: "--all",
        wanted: "one of the two",
      });
    }
    return listOutcome(openHostStore(host), { limit, all, removed });
  },
};
