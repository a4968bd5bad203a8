/** Lists fds, newest last, and names; returns all about one fd. Lists are bounded and report what they omit. */

import {
  digestFd,
  type FdEntry,
  findFd,
  formatFd,
  isChanged,
  listNames,
  listNewestFds,
  listRemoved,
  newestFirst,
  parseFdArgument,
  type Store,
  textEntry,
} from "../../fd/mod.ts";
import type { FdFailure } from "../../fd/system.ts";
import type { AnswerOf, FdSummary } from "../calls/terms/answers.ts";
import type { Outcome } from "../calls/terms/command.ts";
import {
  boundReference,
  diskBytesOf,
  namesById,
  removedSummaryOf,
  summaryOf,
} from "../answers/parts/fd_summary.ts";
import { firstFew } from "../answers/parts/first_few.ts";
import { groupedDigits } from "../answers/parts/grouped_digits.ts";
import {
  DEFAULT_LIMIT,
  type ListRequest,
  type RefsRequest,
  type StatRequest,
} from "../calls/requests/list_request.ts";
import { MAX_LISTED } from "../calls/requests/shared_fields.ts";
import { failValue } from "../calls/requests/usage_failure.ts";

/** Some of the fds, and a test of the JSON of many, as `newestFirst` takes it, that is quicker than reading them. */
export interface FdChoice {
  isChosen: (entry: FdEntry) => boolean;
  mayHave: (json: string) => boolean;
}

/**
 * The newest fds or tombstones of the store, of those that are chosen. Records that cannot be read are reported as failures.
 */
export async function listOutcome(
  store: Store,
  request: ListRequest,
  isForPeople = false,
  choice?: FdChoice,
): Promise<Outcome> {
  const { limit, all = false, before, removed = false } = request;
  const beforeId = before === undefined ? Infinity : idOf(before);
  const most = limit ?? (all ? Infinity : DEFAULT_LIMIT);
  if (!removed) {
    // One more shows whether there are more.
    const needed = beforeId === Infinity && most < Infinity ? most + 1 : undefined;
    await store.backend.refresh({ kind: "records", most: needed });
    await store.backend.refresh({ kind: "names" });
  }
  const failures: FdFailure[] = [];
  const { fds, total, olderCount } = removed
    ? newestRemoved(store, most, beforeId)
    : newestStored(store, { most, beforeId, choice }, isForPeople, failures);
  const what = removed ? "removed fds" : "fds";
  const shown = beforeId === Infinity
    ? `the newest ${fds.length} ${total === undefined ? what : `of ${groupedDigits(total)} ${what}`}`
    : `${fds.length}${total === undefined ? "" : ` of ${groupedDigits(total)}`} ${what}, before ${
      formatFd(beforeId)
    }`;
  const more = { removed: removed || undefined, ...restOf(request, before, { before: fds[0]?.fd }) };
  const answer: AnswerOf<"fd_list"> = {
    type: "fd_list",
    total,
    message: fds.length === 0 && choice !== undefined
      ? "No fds match."
      : fds.length === total
      ? undefined
      : choice === undefined
      ? `Showing ${shown}.`
      : `Showing the newest ${fds.length} that match; --all shows all.`,
    next: fds.length === olderCount || choice !== undefined ? undefined : { command: "ls", args: more },
    fds,
  };
  return { exitCode: failures.length === 0 ? 0 : 1, answer, failures };
}

/** With `isForPeople`, what the table for people shows of each. */
function newestStored(
  store: Store,
  { choice, ...options }: { most: number; beforeId: number; choice: FdChoice | undefined },
  isForPeople: boolean,
  failures: FdFailure[],
) {
  const report = (failure: FdFailure) => void failures.push(failure);
  const { entries, ...counts } = choice === undefined
    ? listNewestFds(store, options, report)
    : newestChosen(store, options, choice);
  const names = namesById(store, entries.map(({ id }) => id));
  const fds = entries.map((entry): FdSummary => {
    const summary = summaryOf(entry, names.get(entry.id) ?? []);
    if (!isForPeople) return summary;
    const { command, exitCode, signal } = entry;
    return { ...summary, command, exit_code: exitCode, signal };
  });
  return { fds, ...counts };
}

/** The newest chosen fds; one more is looked for, which shows whether there are more. */
function newestChosen(
  store: Store,
  { most, beforeId }: { most: number; beforeId: number },
  { isChosen, mayHave }: FdChoice,
) {
  const entries: FdEntry[] = [];
  for (const entry of newestFirst(store, undefined, mayHave)) {
    if (entry.id >= beforeId || !isChosen(entry)) continue;
    entries.unshift(entry);
    if (entries.length > most) break;
  }
  const total = entries.length > most ? undefined : entries.length;
  return { entries: entries.slice(-most), total, olderCount: entries.length };
}

function newestRemoved(store: Store, most: number, beforeId: number) {
  const tombs = listRemoved(store);
  const older = tombs.filter(({ id }) => id < beforeId);
  return { fds: older.slice(-most).map(removedSummaryOf), total: tombs.length, olderCount: older.length };
}

/** Asks for all; after a part of all, or of items after a place, for the next ones. */
function restOf<Place extends object>(
  { limit, all }: { limit?: number | undefined; all?: boolean | undefined },
  place: string | undefined,
  next: Place,
) {
  const goesOn = place !== undefined || all === true && limit !== undefined;
  return goesOn ? { all: all || undefined, limit: all === true ? undefined : limit, ...next } : { all: true };
}

function idOf(before: string): number {
  const argument = parseFdArgument(before);
  if (argument?.by === "id") return argument.id;
  return failValue("ls", "--before", before, 'an fd such as "fd:12"');
}

/**
 * The bound names in alphabetical order; those whose fd is missing say so. If a shared store cannot be asked, the names that this
 * host knows, and a failure.
 */
export async function refsOutcome(store: Store, request: RefsRequest): Promise<Outcome> {
  await store.backend.refresh({ kind: "names" });
  const failure = store.backend.staleness({ kind: "names" });
  const { all = false, after, limit = all ? Infinity : MAX_LISTED } = request;
  const names = listNames(store);
  const last = after?.replace(/^ref:/, "");
  const later = last === undefined ? names : names.filter(({ name }) => name > last);
  const { shown, more } = firstFew(later, limit);
  const isAll = shown.length === names.length;
  const answer: AnswerOf<"ref_list"> = {
    type: "ref_list",
    total: isAll ? undefined : names.length,
    message: isAll
      ? undefined
      : last === undefined
      ? `Showing the first ${shown.length} of ${names.length} names.`
      : `Showing ${shown.length} of ${names.length} names, after ref:${last}.`,
    next: more === undefined
      ? undefined
      : { command: "refs", args: restOf(request, after, { after: shown.at(-1)?.name }) },
    refs: await Promise.all(shown.map((bound) => boundReference(store, bound))),
  };
  return failure === undefined ? { exitCode: 0, answer } : { exitCode: 1, answer, failures: [failure] };
}

/**
 * Everything known about one fd. The sha-256 is computed at the first request and recorded; a live fd has none.
 *
 * Throws `not_found`, `removed`, `store_corrupt`.
 */
export async function statFd(store: Store, request: StatRequest): Promise<AnswerOf<"fd_stat">> {
  const entry = findFd(store, request.fd);
  const text = await textEntry(store, entry);
  const { parent } = entry;
  await store.backend.refresh({ kind: "names" });
  return {
    type: "fd_stat",
    ...summaryOf(text, namesById(store, [entry.id]).get(entry.id) ?? []),
    bytes: entry.byteCount,
    encoding: text.decoded?.encoding,
    disk_bytes: diskBytesOf(entry),
    page_size: entry.pageSize,
    sha256: entry.state === "live" ? undefined : await digestFd(store, entry),
    command: entry.command,
    cwd: entry.cwd,
    exit_code: entry.exitCode,
    signal: entry.signal,
    duration_ms: entry.durationMs,
    exact: isChanged(entry) ? "no" : undefined,
    parent: parent &&
      { fd: formatFd(parent.id), mode: parent.mode, start: parent.start, count: parent.count },
  };
}
