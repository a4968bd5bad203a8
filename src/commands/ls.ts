/**
 * `ls`: what the store holds, newest last.
 */

import type { Store } from "../../fd/mod.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { LIST_REQUEST } from "../calls/requests/list_request.ts";
import { listOutcome } from "../reading/list_fds.ts";
import type { Outcome } from "../calls/terms/command.ts";

export const command = defineOperation({
  ...LIST_REQUEST,
  usage: "[options]",
  example: "fdtool ls --limit 20",
  noticesInterrupted: true,
  exitCodes: { 0: "the list was printed", 1: "refused or failed, or a record is unreadable" },
  answer: (request, host) => listOutcome(openHostStore(host), request, host.isForPeople),
  complete: (outcome, { options }, host) =>
    options["removed"] === true ? outcome : withEmptyStoreNote(outcome, openHostStore(host)),
});

/** Adds to the list of an empty store, unless some of it could not be read, which one it is, and how it is filled. */
function withEmptyStoreNote(outcome: Outcome, { path }: Store): Outcome {
  const { answer, failures = [] } = outcome;
  if (answer?.type !== "fd_list" || answer.total !== 0 || failures.length > 0) return outcome;
  const message = `The store ${path} is empty. To keep what a command prints: fdtool run -- COMMAND`;
  return { ...outcome, answer: { ...answer, message } };
}
