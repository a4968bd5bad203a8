/** Lists fds, newest last, and names; returns all about one fd. Lists are bounded and report what they omit. */

import {
  digestFd,
  findFd,
  formatFd,
  listNames,
  listNewestFds,
  listRemoved,
  parseFdArgument,
  type Store,
} from "../../fd/mod.ts";
import type { FdFailure } from "../../fd/system.ts";
import type { FdList, FdStat, FdSummary, RefList } from "../terms/answers.ts";
import type { Outcome } from "../terms/command.ts";
import {
  boundReference,
  diskBytesOf,
  exactOf,
  namesById,
  removedSummaryOf,
  summaryOf,
} from "../answering/fd_summary.ts";
import { firstFew } from "../answering/first_few.ts";
import {
  DEFAULT_LIMIT,
  type ListRequest,
  type RefsRequest,
  type StatRequest,
} from "../requests/list_request.ts";
import { MAX_LISTED } from "../requests/shared_fields.ts";
import { failUsage } from "../requests/usage_failure.ts";

/** The newest fds or tombstones of the store. Records that cannot be read are reported as failures. */
export async function listOutcome(
  store: Store,
  request: ListRequest,
  isForPeople = false,
): Promise<Outcome> {
  const failures: FdFailure[] = [];
  await prepareList(store, request);
  const answer = listAnswer(store, { ...request, isForPeople }, (failure) => failures.push(failure));
  return { exitCode: failures.length === 0 ? 0 : 1, answer, failures };
}

/** Asks a shared store for the records and names that a list needs. */
async function prepareList({ shared }: Store, { limit, all, before, removed }: ListRequest): Promise<void> {
  if (shared === undefined || removed === true) return;
  const most = before !== undefined || limit === undefined && all === true
    ? undefined
    : limit ?? DEFAULT_LIMIT;
  // One more shows whether there are more.
  await shared.prepare({ kind: "records", most: most === undefined ? undefined : most + 1 });
  await shared.prepare({ kind: "names" });
}

/** A request, and whether its answer has what the table for people shows. */
type ListCall = ListRequest & { isForPeople: boolean };

function listAnswer(
  store: Store,
  request: ListCall,
  onUnreadable: (failure: FdFailure) => void,
): FdList {
  const { limit, all = false, removed = false } = request;
  const beforeId = request.before === undefined ? Infinity : idOf(request.before);
  const most = limit ?? (all ? Infinity : DEFAULT_LIMIT);
  const { fds, total, olderCount } = removed
    ? newestRemoved(store, most, beforeId)
    : newestStored(store, { most, beforeId, isForPeople: request.isForPeople }, onUnreadable);
  const what = removed ? "removed fds" : "fds";
  const shown = beforeId === Infinity
    ? `the newest ${fds.length} ${total === undefined ? what : `of ${total} ${what}`}`
    : `${fds.length} of ${total} ${what}, before ${formatFd(beforeId)}`;
  return {
    type: "fd_list",
    total,
    message: fds.length === total ? undefined : `Showing ${shown}.`,
    next: fds.length === olderCount ? undefined : { command: "ls", args: nextRequest(request, fds[0]?.fd) },
    fds,
  };
}

interface NewestSummaries {
  fds: FdSummary[];
  total: number | undefined;
  olderCount: number;
}

function newestStored(
  store: Store,
  { isForPeople, ...options }: { most: number; beforeId: number; isForPeople: boolean },
  onUnreadable: (failure: FdFailure) => void,
): NewestSummaries {
  const { entries, total, olderCount } = listNewestFds(store, options, onUnreadable);
  const names = namesById(store);
  const fds = entries.map((entry) => {
    const summary = summaryOf(entry, names.get(entry.id) ?? []);
    if (!isForPeople) return summary;
    const { command, exitCode, signal } = entry;
    return { ...summary, command, exit_code: exitCode, signal };
  });
  return { fds, total, olderCount };
}

function newestRemoved(store: Store, most: number, beforeId: number): NewestSummaries {
  const tombs = listRemoved(store);
  const older = tombs.filter(({ id }) => id < beforeId);
  return { fds: older.slice(-most).map(removedSummaryOf), total: tombs.length, olderCount: older.length };
}

/** The call that lists all; after a part of all, or of fds older than one, the call that continues. */
function nextRequest({ limit, all, before, removed }: ListRequest, oldest: string | undefined): ListRequest {
  const goesOn = before !== undefined || all === true && limit !== undefined;
  const way = { removed: removed || undefined };
  if (!goesOn) return { ...way, all: true };
  return { ...way, all: all || undefined, limit: all === true ? undefined : limit, before: oldest };
}

function idOf(before: string): number {
  const argument = parseFdArgument(before);
  if (argument?.by === "id") return argument.id;
  const wanted = 'an fd such as "fd:12"';
  return failUsage({ kind: "bad_value", command: "ls", option: "--before", got: before, wanted });
}

/** The bound names in alphabetical order; those whose fd is missing say so. */
export async function listRefs(store: Store, request: RefsRequest): Promise<RefList> {
  await store.shared?.prepare({ kind: "names" });
  const { all = false, after, limit = all ? Infinity : MAX_LISTED } = request;
  const names = listNames(store);
  const last = after?.replace(/^ref:/, "");
  const { shown, more } = firstFew(
    last === undefined ? names : names.filter(({ name }) => name > last),
    limit,
  );
  return {
    type: "ref_list",
    ...(shown.length === names.length ? {} : {
      total: names.length,
      message: last === undefined
        ? `Showing the first ${shown.length} of ${names.length} names.`
        : `Showing ${shown.length} of ${names.length} names, after ref:${last}.`,
    }),
    ...(more === undefined
      ? {}
      : { next: { command: "refs" as const, args: nextRefs(request, shown.at(-1)?.name) } }),
    refs: await Promise.all(shown.map((bound) => boundReference(store, bound))),
  };
}

/** The call that lists all; after a part of all, or of names after one, the call that continues. */
function nextRefs({ limit, all, after }: RefsRequest, last: string | undefined): RefsRequest {
  const goesOn = after !== undefined || all === true && limit !== undefined;
  if (!goesOn) return { all: true };
  return { all: all || undefined, limit: all === true ? undefined : limit, after: last };
}

/**
 * Everything known about one fd. The sha-256 is computed at the first request and recorded; a live fd has none.
 *
 * Throws `not_found`, `removed`, `store_corrupt`.
 */
export async function statFd(store: Store, request: StatRequest): Promise<FdStat> {
  const entry = findFd(store, request.fd);
  const { parent } = entry;
  await store.shared?.prepare({ kind: "names" });
  return {
    type: "fd_stat",
    ...summaryOf(entry, namesById(store).get(entry.id) ?? []),
    disk_bytes: diskBytesOf(entry),
    page_size: entry.pageSize,
    sha256: entry.state === "live" ? undefined : await digestFd(store, entry),
    command: entry.command,
    cwd: entry.cwd,
    exit_code: entry.exitCode,
    signal: entry.signal,
    duration_ms: entry.durationMs,
    exact: exactOf(entry),
    parent: parent &&
      { fd: formatFd(parent.id), mode: parent.mode, start: parent.start, count: parent.count },
  };
}
