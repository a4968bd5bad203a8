/** A write whose end the store could not take note of. @module */

import type { FdFailure } from "../../../fd/mod.ts";
import { formatTransaction } from "./journal.ts";
import type { Committed } from "./commit_changes.ts";

/** What there is to say of a step that was done and could not be noted as such. */
export function unclosedStepNote({ transactionId, closeFailure }: Committed): string[] {
  if (closeFailure === undefined) return [];
  const tx = formatTransaction(transactionId);
  return [
    `The files were written, but ${tx} could not be closed in the journal${
      codeOf(closeFailure)
    }. Run \`fdtool recover\`.`,
  ];
}

/** The same of an answer, whose question `handle` may still count as open. */
export function unclosedInquiryNote(handle: string, failure: FdFailure): string {
  return `${handle} was answered, but recording that failed${codeOf(failure)}. ` +
    `If \`fdtool inquiries\` still lists it, run \`fdtool cancel ${handle}\`.`;
}

function codeOf(failure: FdFailure): string {
  return "code" in failure ? ` (${failure.code})` : "";
}
