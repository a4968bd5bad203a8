import type { Store } from "../../fd/mod.ts";
import { listFew } from "../answering/first_few.ts";
import { formatTransaction } from "../writing/commit/journal.ts";
import { openTransactions } from "../writing/history/recover_transactions.ts";
import { formatInquiry, openInquiries } from "../writing/inquiries/inquiries.ts";
import type { Finding } from "./finding.ts";

const ABOUT = "writes";

/** The most handles that are named. */
const MAX_NAMED = 5;

/** Examines writes that a kill interrupted, and questions without an answer. */
export function examineWrites(store: Store, nowMs: number): Finding[] {
  const findings: Finding[] = [];
  const interrupted = openTransactions(store, nowMs).filter((each) => each.interrupted);
  if (interrupted.length > 0) {
    const which = named(interrupted.map(({ transaction }) => formatTransaction(transaction.id)));
    const what = `interrupted, so that some of their files may be old and others new: ${which}`;
    findings.push({ about: ABOUT, state: "problem", what, mend: "fdtool recover" });
  }
  const open = openInquiries(store);
  if (open.length > 0) {
    const which = named(open.map(({ id }) => formatInquiry(id)));
    findings.push({
      about: ABOUT,
      state: "note",
      what: `waiting for an answer: ${which}`,
      mend: "fdtool inquiries",
    });
  }
  return findings;
}

function named(handles: readonly string[]): string {
  return listFew(handles, MAX_NAMED);
}
