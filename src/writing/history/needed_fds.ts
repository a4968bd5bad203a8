/**
 * Finds the fds that steps and open questions need: a step cannot be undone without its backup, a question not
 * answered without its request.
 */

import { BACKUP_SOURCE, type FdEntry, INQUIRY_SOURCE, PLAN_SOURCE, type Store } from "../../../fd/mod.ts";
import { formatInquiry, openInquiries } from "../inquiries/inquiries.ts";
import { formatTransaction, newestTransactions } from "../commit/journal.ts";
import type { NeededFor } from "../../terms/write_failure.ts";

/** The step or question that needs an fd. */
export interface Need {
  handle: string;
  what: NeededFor;
  /** The step is in progress: `recover` may need the fd. */
  isOpen: boolean;
}

/** Maps the ids of `entries` to what needs them. Reads nothing if no entry is of a kind that is ever needed. */
export function needsOf(store: Store, entries: readonly FdEntry[]): ReadonlyMap<number, Need> {
  const sources = new Set(entries.map((entry) => entry.source));
  const needs = new Map<number, Need>();
  if (sources.has(BACKUP_SOURCE) || sources.has(PLAN_SOURCE)) {
    for (const { id, begin, outcome } of newestTransactions(store)) {
      // A step that was rolled back has restored its files.
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
