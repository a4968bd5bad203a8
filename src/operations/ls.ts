/**
 * `ls`: what the store holds, newest last.
 */

import type { Store } from "../../fd/mod.ts";
import type { Command, Outcome } from "../terms/command.ts";
import { openHostStore } from "../answering/open_host_store.ts";
import { optionsFrom, requestFrom } from "../arguments/field_options.ts";
import { listOutcome } from "../reading/list_fds.ts";
import { LIST_FIELDS } from "../requests/list_request.ts";
import { failUsage } from "../requests/usage_failure.ts";

export const command: Command = {
  spec: {
    usage: "[options]",
    positionals: { least: 0, most: 0 },
    options: optionsFrom(LIST_FIELDS),
    example: "fdtool ls --limit 20",
    noticesInterrupted: true,
    exitCodes: [[0, "the list was printed"], [1, "refused or failed, or a record is unreadable"], [
      2,
      "usage error",
    ]],
  },
  run(call, host) {
    const request = requestFrom(LIST_FIELDS, call);
    if (request.limit !== undefined && request.all === true) {
      failUsage({
        kind: "conflict",
        command: "ls",
        first: "--limit",
        second: "--all",
        wanted: "choose one",
      });
    }
    const store = openHostStore(host);
    const outcome = listOutcome(store, request, host.isForPeople);
    return request.removed === true ? outcome : tellOfEmpty(outcome, store);
  },
};

/** Adds to the list of an empty store which one it is, and how it is filled. */
function tellOfEmpty(outcome: Outcome, { path }: Store): Outcome {
  const { answer } = outcome;
  if (answer?.type !== "fd_list" || answer.total !== 0) return outcome;
  const message = `The store ${path} is empty. To keep what a command prints: fdtool run -- COMMAND`;
  return { ...outcome, answer: { ...answer, message } };
}
