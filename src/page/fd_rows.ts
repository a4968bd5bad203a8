/** The fds of a store as the page lists them: what was run when, and how it ended. */

import {
  type FdEntry,
  findFd,
  formatFd,
  highestId,
  highestLogId,
  listLiveFds,
  newestFirst,
  prepareContent,
  type Store,
} from "../../fd/mod.ts";
import { DEFAULT_PAGE_SIZE, type FdFailure, ifPossible } from "../../fd/system.ts";
import type { PreviewGap } from "../calls/terms/answers.ts";
import { namesById, summaryOf } from "../answers/parts/fd_summary.ts";
import { groupedDigits, linesText, sizeText } from "../answers/parts/grouped_digits.ts";
import { durationText } from "../answers/parts/moment_text.ts";
import { shellLine } from "../answers/parts/next_command.ts";
import { changeSince, changeText } from "../capturing/run_before.ts";
import type { ChangedFindings } from "../findings/changes/changed_findings.ts";
import { plainText } from "../calls/terms/control_chars.ts";
import { isFailed, isInner } from "../reading/newest_fds.ts";
import { numberIn, textIn } from "./check_request.ts";
import { pageText } from "./page_text.ts";
import { orderOf } from "./run_orders.ts";

const MAX_ROWS = 100_000;
const MAX_LIVE = 100;
/** Runs of one command that are counted, and those that are shown. */
const MAX_RUNS = 100;
const SHOWN_RUNS = 12;
/** Records that are read at least for histories, at most for a list, and at most more for each of its rows. */
const HISTORY_READ = 1000;
const MAX_READ = 5000;
const READ_OF_ROW = 50;
/** Days whose growth and savings the page shows. */
export const PAGE_DAYS = 7;
/** Fds that growth is counted of. */
const MAX_COUNTED = 20_000;
/** Chars of a command that a list shows. */
const COMMAND_CHARS = 2000;

/** Everything that the page shows about an fd, without its content. */
export function fdRow({ backend }: Store, entry: FdEntry, names: string[]) {
  const { gap, durationMs } = entry;
  const host = entry.host === backend.host ? undefined : entry.host;
  const facts = [
    linesText(entry.lineCount),
    sizeText((entry.decoded?.stored ?? entry).byteCount),
    durationMs === undefined ? undefined : `took ${durationText(durationMs)}`,
    host === undefined ? undefined : `on ${plainText(host)}`,
    entry.cwd === undefined ? undefined : `in ${plainText(entry.cwd)}`,
    gap && `${sizeText(gap.droppedBytes)} missing after byte ${groupedDigits(gap.atByte)}`,
  ];
  return {
    ...summaryOf(entry, names),
    id: entry.id,
    command: entry.command && plainText(shellLine(entry.command).slice(0, COMMAND_CHARS)),
    title: entry.command && plainText(scriptOf(entry.command).slice(0, COMMAND_CHARS)),
    host,
    cwd: entry.cwd && plainText(entry.cwd),
    facts: facts.filter((fact) => fact !== undefined).join(" · "),
    parent: entry.parent && formatFd(entry.parent.id),
    ...endingOf(entry),
  };
}

/** The command, without the shell that only runs it. */
function scriptOf(command: readonly string[]): string {
  const [program = "", option = "", script, ...more] = command;
  const isShell = /(?:^|\/)(?:ba|da|z)?sh$/.test(program) && /^-l?c$/.test(option) && more.length === 0;
  return isShell && script !== undefined ? script : shellLine(command);
}

/** How a run ended, as a history shows it. */
function endingOf({ id, state, exitCode: exit, signal, durationMs: ms, createdMs }: FdEntry) {
  return { fd: formatFd(id), state, exit, signal, ms, created: new Date(createdMs).toISOString() };
}

/** One fd, by its handle or name in `fd`. */
export async function oneFd(store: Store, query: URLSearchParams) {
  const entry = await pageText(store, query);
  await store.backend.refresh({ kind: "names" });
  return {
    ...fdRow(store, entry, namesById(store, [entry.id]).get(entry.id) ?? []),
    order: orderOf(store, entry),
  };
}

/** The newest runs of the command of an fd in its directory, and the run before it. */
export async function fdHistory(store: Store, query: URLSearchParams) {
  const entry = findFd(store, textIn(query, "fd"));
  await store.backend.refresh({ kind: "records" });
  return historyOf(entry, runsLike(store, [entry], MAX_READ).get(runKey(entry)) ?? []);
}

/** The newest runs of the commands of `entries`, by key, among the newest `most` fds. */
function runsLike(store: Store, entries: readonly FdEntry[], most: number): Map<string, FdEntry[]> {
  const runs = new Map(entries.map((entry): [string, FdEntry[]] => [runKey(entry), []]));
  let read = 0;
  for (const entry of newestFirst(store)) {
    const own = runs.get(runKey(entry));
    if (own !== undefined && own.length < MAX_RUNS) own.push(entry);
    if (++read === most) break;
  }
  return runs;
}

/** Runs of the same command in the same directory have the same; other fds are alone. */
function runKey({ command, cwd, host, id }: FdEntry): string {
  return command === undefined ? String(id) : JSON.stringify([host, cwd, command]);
}

/** The history of `entry` among `runs` of its command, the newest first: the last ones, and since when it fails. */
function historyOf(entry: FdEntry, runs: readonly FdEntry[]) {
  const older = runs.filter(({ id, state }) => id <= entry.id && state !== "live");
  const passed = older.findIndex((run) => !isFailed(run));
  const failing = older.slice(0, passed < 0 ? older.length : passed);
  return {
    runs: runs.slice(0, SHOWN_RUNS).map(endingOf),
    before: older.map(({ id }) => id).filter((id) => id < entry.id).map(formatFd)[0],
    failing: failing.length === 0
      ? undefined
      : { since: new Date(failing.at(-1)!.createdMs).toISOString(), runs: failing.length },
  };
}

/**
 * The newest fds, newest first, that `q` and the filters leave; `more` if there may be older ones. Except where each is asked
 * for, runs of one command in one directory are one row. `show=failing` gives the commands whose last run failed.
 */
export async function fdRows(store: Store, query: URLSearchParams) {
  const limit = numberIn(query, "limit", { least: 1, most: MAX_ROWS, otherwise: 100 });
  const sought = (query.get("q") ?? "").toLowerCase();
  const filter = query.get("show") ?? "runs";
  const unreadable = new Set<string>();
  await store.backend.refresh({ kind: "names" });
  await store.backend.refresh({ kind: "records" });
  const names = namesById(store);
  const isSought = (entry: FdEntry) =>
    sought === "" || wordsOf(entry, names.get(entry.id) ?? []).includes(sought);
  const report = (failure: FdFailure) => void unreadable.add(JSON.stringify(failure));
  const { found, runs, hasMore } = filter === "live"
    ? liveRows(store, limit, isSought, report)
    : newestRows(store, { limit, filter }, isSought, report);
  const fds = found.map((entry) => ({
    ...fdRow(store, entry, names.get(entry.id) ?? []),
    history: historyOf(entry, runs.get(runKey(entry)) ?? []),
  }));
  return { fds, more: hasMore, unreadable: unreadable.size };
}

type Report = (failure: FdFailure) => void;

/** The running ones, which are few among many. */
function liveRows(store: Store, limit: number, isSought: (entry: FdEntry) => boolean, report: Report) {
  const live = listLiveFds(store, report).toReversed().filter(isSought);
  const found = live.slice(0, limit);
  const runs = found.length === 0 ? new Map<string, FdEntry[]>() : runsLike(store, found, HISTORY_READ);
  return { found, runs, hasMore: live.length > limit };
}

function newestRows(
  store: Store,
  { limit, filter }: { limit: number; filter: string },
  isSought: (entry: FdEntry) => boolean,
  report: Report,
) {
  const isEach = filter === "all";
  const mostRead = isEach ? Infinity : MAX_READ + limit * READ_OF_ROW;
  const runs = new Map<string, FdEntry[]>();
  const found = new Map<string, FdEntry>();
  const passed = new Set<string>();
  let [hasMore, read] = [false, 0];
  for (const entry of newestFirst(store, report)) {
    // What comes after the last row is read for the histories only.
    if (hasMore && (isEach || read >= HISTORY_READ) || ++read > mostRead) {
      hasMore = true;
      break;
    }
    const command = runKey(entry);
    const own = runs.get(command) ?? [];
    runs.set(command, own);
    if (own.length < MAX_RUNS) own.push(entry);
    const key = isEach ? formatFd(entry.id) : command;
    if (found.has(key) || passed.has(key) || !isShown(entry, filter) || !isSought(entry)) continue;
    if (filter === "failing" && !isFailed(entry)) passed.add(key);
    else if (found.size === limit) hasMore = true;
    else found.set(key, entry);
  }
  return { found: [...found.values()], runs, hasMore };
}

/** Counts what was stored on the last days that have anything, the newest first, and in all; `more` if not all was counted. */
export async function storeGrowth(store: Store) {
  await store.backend.refresh({ kind: "records" });
  const days = new Map<string, { day: string; fds: number; bytes: number }>();
  const all = { fds: 0, bytes: 0, more: false };
  for (const { createdMs, byteCount } of newestFirst(store)) {
    all.more = all.fds === MAX_COUNTED;
    if (all.more) break;
    const minutesEast = -new Date(createdMs).getTimezoneOffset();
    const day = new Date(createdMs + minutesEast * 60_000).toISOString().slice(0, 10);
    const known = days.get(day) ?? { day, fds: 0, bytes: 0 };
    if (known.fds === 0 && days.size < PAGE_DAYS) days.set(day, known);
    for (const count of [all, known]) {
      count.fds++;
      count.bytes += byteCount;
    }
  }
  const shown = [...days.values()].map((day) => ({ ...day, size: sizeText(day.bytes) }));
  return { fds: all.fds, more: all.more, size: sizeText(all.bytes), days: shown };
}

function isShown(entry: FdEntry, filter: string): boolean {
  if (filter === "all") return true;
  if (filter === "failed") return isFailed(entry);
  if (filter === "failing") return entry.state !== "live" && !isInner(entry);
  return !isInner(entry);
}

function wordsOf(entry: FdEntry, names: readonly string[]): string {
  return [formatFd(entry.id), entry.source, entry.cwd ?? "", ...names, ...entry.command ?? []]
    .join(" ").toLowerCase();
}

/** Returns the states of the live fds that the page shows, and a mark that changes with them and with the newest ids. */
export function storeNews(store: Store, query: URLSearchParams) {
  const ids = (query.get("live") ?? "").split(",").filter((id) => /^[1-9][0-9]{0,14}$/.test(id));
  const live = ids.slice(0, MAX_LIVE).map((id) => {
    const entry = ifPossible(() => findFd(store, `fd:${id}`));
    return [id, entry?.state, entry?.byteCount];
  });
  return { mark: JSON.stringify([highestId(store), highestLogId(store, "tx"), live]), live };
}

/** Findings that are listed: one of a kind, or all that the run before is compared by, the heaviest. */
const MAX_FINDINGS = 50;
/** Chars of a finding that are listed. */
const FINDING_CHARS = 300;

/** Another host's content is fetched whole for its findings up to this size. */
const MAX_FETCHED_BYTES = 32 * 2 ** 20;

/** Whether all of an fd may be looked at: it has ended, and is here or not large. */
export function isStudied({ backend }: Store, { id, state, byteCount }: FdEntry): boolean {
  return state !== "live" && (backend.fetched(id) === undefined || byteCount <= MAX_FETCHED_BYTES);
}

/**
 * Findings by line; `decisive` is the line that weighs most. `gaps` are the lines that a first answer leaves out, with what
 * they say. Those of content that is still written would not stay.
 */
export async function fdFindings(store: Store, query: URLSearchParams) {
  const entry = await pageText(store, query);
  if (!isStudied(store, entry)) return { findings: [], lines: [], gaps: [], parts: [] };
  await prepareContent(store, entry);
  const shown = (text: string) => plainText(text).trim().slice(0, FINDING_CHARS);
  const { foldsIn } = await import("../capturing/fd_findings.ts");
  const { decisive, lines, findings, gaps, parts } = foldsIn(store, entry, MAX_FINDINGS, DEFAULT_PAGE_SIZE);
  const change = await changeSince(store, entry.decoded?.stored ?? entry, Date.now());
  // The list adds up with the sentence above it.
  const compared: readonly Finding[] = change?.changed === undefined ? findings : findingsNow(change.changed);
  const listed = compared.slice(0, MAX_FINDINGS).sort((one, other) => one.line - other.line);
  return {
    gaps: gaps.map(gapRow),
    parts: parts.map(({ first, last, heading }) => ({ from: first + 1, to: last, label: shown(heading) })),
    decisive,
    lines,
    findings: listed.map(({ line, text, isNew }) => ({ line, text: shown(text), isNew })),
    findingCount: compared.length,
    // A page stays open for hours.
    change: change &&
      { since: change.since, isSame: change.isSame, sentence: `${changeText(change, true)}.` },
  };
}

interface Finding {
  line: number;
  text: string;
  /** The run before did not have it. */
  isNew?: true;
}

/** The findings of the newer run, the heaviest first. */
function findingsNow({ fresh, unclear, recounted, still }: ChangedFindings): Finding[] {
  const left = [...unclear.fresh, ...[...recounted, ...still].map(([, now]) => now)];
  return [...fresh.map((said) => ({ ...said, isNew: true as const })), ...left]
    .sort((one, other) => other.weight - one.weight);
}

/** A gap as a group of lines: `58 like "✔ adds 41"`. */
function gapRow({ lines, omitted, like, others }: PreviewGap) {
  const [from, to] = lines.split("-").map(Number);
  const kinds = like.map(({ count, line }) =>
    `${groupedDigits(count)} like ${JSON.stringify(plainText(line))}`
  );
  const rest = others === undefined ? [] : [`${groupedDigits(others)} other${others === 1 ? "" : "s"}`];
  const label = kinds.length === 0 ? linesText(omitted) : [...kinds, ...rest].join(", ");
  return { from, to, label };
}
