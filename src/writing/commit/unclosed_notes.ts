/** Notes about writes and answers whose end could not be recorded. */

import type { FdFailure } from "../../../fd/mod.ts";
import { formatTransaction } from "./journal.ts";
import type { Committed } from "./commit_changes.ts";

/** The note if the step's end could not be recorded. */
export function unclosedStepNote({ transactionId, closeFailure }: Committed): string[] {
  if (closeFailure === undefined) return [];
  const tx = formatTransaction(transactionId);
  return [
    `The files were written, but ${tx} could not be closed in the journal${
      codeOf(closeFailure)
    }. Run \`fdtool recover\`.`,
  ];
}

/** The note for an answer, whose question `handle` may still count as open. */
export function unclosedInquiryNote(handle: string, failure: FdFailure): string {
  return `${handle} was answered, but recording that failed${codeOf(failure)}. ` +
    `If \`fdtool inquiries\` still lists it, run \`fdtool cancel ${handle}\`.`;
}

function codeOf(failure: FdFailure): string {
  return "code" in failure ? ` (${failure.code})` : "";
}
