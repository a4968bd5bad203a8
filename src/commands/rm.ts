/**
 * `rm`: removes fds, leaving tombstones (contract, The store). Each argument gets its own verdict; what cannot be removed does
 * not keep the others.
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import {
  BACKUP_SOURCE,
  type FdEntry,
  findFd,
  formatFd,
  INQUIRY_SOURCE,
  namedId,
  PLAN_SOURCE,
  type Removal,
  removeFd,
  type Store,
} from "../../fd/mod.ts";
import { FdError, ifPossible } from "../../fd/system.ts";
import { fdFacts, namesById } from "../answers/parts/fd_summary.ts";
import { counted, groupedDigits } from "../answers/parts/grouped_digits.ts";
import { firstFew, listFew, onlyFirst } from "../answers/parts/first_few.ts";
import { MAX_LISTED } from "../calls/requests/shared_fields.ts";
import { inSentences } from "../answers/parts/next_command.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { formatTransaction, newestTransactions } from "../writing/commit/journal.ts";
import { formatInquiry, openInquiries } from "../writing/inquiries/inquiries.ts";
import { type NeededFor, refuse } from "../calls/terms/write_failure.ts";
import { flagOption } from "../calls/requests/request_fields.ts";

export const command = defineOperation({
  fields: {
    fd: { kind: "fds", isRequired: true, isArgument: true },
    force: flagOption("also remove backups needed for undo, and content of open questions"),
  },
  usage: "FD… [--force]",
  example: "fdtool rm fd:3 fd:4",
  exitCodes: { 0: "all were removed", 1: "at least one was not removed; the others were" },
  reportsChange: true,
  async answer({ fd: named, force }, host) {
    const store = openHostStore(host);
    await store.backend.refresh({ kind: "names" });
    const names = namesById(store);
    const removed: Removal[] = [];
    const kept: { fd: string; error: string; needed_by?: string | undefined }[] = [];
    // One spelling for each fd, so that an fd given twice is removed once. Unknown handles are unchanged.
    const handles = new Set(named.map((argument) => {
      const id = namedId(store, argument);
      return id === undefined ? argument : formatFd(id);
    }));
    const needs = needsOf(store, [...handles].flatMap((fd) => ifPossible(() => findFd(store, fd)) ?? []));
    for (const fd of handles) {
      try {
        const entry = findFd(store, fd);
        const need = needs.get(entry.id);
        if (need !== undefined && (need.isOpen || force !== true)) {
          if (handles.size === 1) refuse({ kind: "still_needed", fd, ...need });
          kept.push({ fd, error: "permission_error", needed_by: need.handle });
          continue;
        }
        removed.push(await removeFd(store, entry, "removed by rm"));
      } catch (thrown) {
        if (!(thrown instanceof FdError) || named.length === 1) throw thrown;
        kept.push({ fd, error: thrown.failure.kind });
      }
    }
    const byteCount = removed.reduce((sum, { byteCount }) => sum + byteCount, 0);
    const gone = firstFew(removed, MAX_LISTED);
    const refused = firstFew(kept, MAX_LISTED);
    const steps = [...new Set(kept.flatMap(({ needed_by }) => needed_by ?? []))];
    const needed = steps.length === 0 ? "" : ` (${listFew(steps, MAX_NAMED)} still need some)`;
    const but = kept.length === 0 ? "" : `; ${kept.length} could not be removed${needed}`;
    return {
      exitCode: kept.length === 0 ? 0 : 1,
      answer: {
        type: "fd_removed",
        facts: {
          removed: gone.shown.map((fd) => ({ ...fdFacts(fd), sha256: fd.sha256, names: names.get(fd.id) })),
          more_removed: gone.more,
          kept: kept.length === 0 ? undefined : refused.shown,
          more_kept: refused.more,
        },
        message: inSentences([
          `Removed ${counted(removed.length, "fd")} (${groupedDigits(byteCount)} bytes)${but}.`,
          ...onlyFirst(MAX_LISTED, gone.more, { command: "ls", args: { removed: true, all: true } }),
        ]),
        next: kept.length === 0 ? undefined : { command: "ls", args: {} },
      },
    };
  },
});

/** The most steps that need an fd and are named. */
const MAX_NAMED = 5;

/** The step or question that needs an fd. */
interface Need {
  handle: string;
  what: NeededFor;
  /** The step is in progress: `recover` may need the fd. */
  isOpen: boolean;
}

/**
 * Maps the ids of `entries` to what needs them: a step cannot be undone without its backup, a question not answered
 * without its request. Reads nothing if no entry is of a kind that is ever needed.
 */
function needsOf(store: Store, entries: readonly FdEntry[]): ReadonlyMap<number, Need> {
  const sources = new Set(entries.map((entry) => entry.source));
  const needs = new Map<number, Need>();
  if (sources.has(BACKUP_SOURCE) || sources.has(PLAN_SOURCE)) {
    for (const { id, begin, outcome } of newestTransactions(store)) {
      // A step that was rolled back has restored its files.
      if (outcome?.event === "rolled_back") continue;
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
