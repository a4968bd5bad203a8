/** A write whose end the store could not take note of. @module */

import type { FdFailure } from "../../../fd/mod.ts";
import { formatTransaction } from "./journal.ts";
import type { Committed } from "./commit_changes.ts";

/** What there is to say of a step that was done and could not be noted as such. */
export function unsaidNote({ transactionId, unsaid }: Committed): string[] {
  if (unsaid === undefined) return [];
  const tx = formatTransaction(transactionId);
  return [
    `This is done, but the journal could not take note of it${codeOf(unsaid)}: fdtool recover ends ${tx}.`,
  ];
}

/** The same of an answer, whose question `handle` may still count as open. */
export function unclosedNote(handle: string, failure: FdFailure): string {
  return `That ${handle} is answered could not be noted${
    codeOf(failure)
  }: where fdtool inquiries still lists it, ` +
    `fdtool cancel ${handle}.`;
}

function codeOf(failure: FdFailure): string {
  return "code" in failure ? ` (${failure.code})` : "";
}
