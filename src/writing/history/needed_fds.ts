/**
 * Which fds a step of the journal or an open question still needs: without its backup a step cannot be undone, without its
 * request a question cannot be answered.
 *
 * @module
 */

import { BACKUP_SOURCE, type FdEntry, INQUIRY_SOURCE, PLAN_SOURCE, type Store } from "../../../fd/mod.ts";
import { formatInquiry, openInquiries } from "../inquiries/inquiries.ts";
import { formatTransaction, newestTransactions } from "../commit/journal.ts";
import type { NeededFor } from "../../terms/write_failure.ts";

/** What needs an fd. */
export interface Need {
  /** `tx:7` or `inq:4`. */
  handle: string;
  what: NeededFor;
  /** The step has not ended: `recover` may have to put back what the fd holds. */
  isOpen: boolean;
}

/** What needs each of `entries`, by id. Nothing is read if none of them is of a kind that anything needs. */
export function needsOf(store: Store, entries: readonly FdEntry[]): ReadonlyMap<number, Need> {
  const sources = new Set(entries.map((entry) => entry.source));
  const needs = new Map<number, Need>();
  if (sources.has(BACKUP_SOURCE) || sources.has(PLAN_SOURCE)) {
    for (const { id, begin, outcome } of newestTransactions(store)) {
      // What a step that was rolled back replaced is in its place again.
      if (outcome?.kind === "rolled_back") continue;
      const handle = formatTransaction(id);
      const isOpen = outcome === undefined;
      if (begin.plan !== undefined) needs.set(begin.plan, { handle, what: "plan", isOpen: false });
      for (const { backup } of begin.files) {
        if (typeof backup === "number") needs.set(backup, { handle, what: "backup", isOpen });
      }
    }
  }
  if (sources.has(INQUIRY_SOURCE)) {
    for (const { id, asked } of openInquiries(store)) {
      if (!("fd" in asked.request)) continue;
      needs.set(asked.request.fd, { handle: formatInquiry(id), what: "request", isOpen: false });
    }
  }
  return needs;
}
