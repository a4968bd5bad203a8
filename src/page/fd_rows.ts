/** The fds of a store as the page lists them: what was run when, and how it ended. */

import {
  type FdEntry,
  findFd,
  formatFd,
  highestId,
  highestLogId,
  prepareContent,
  type Store,
} from "../../fd/mod.ts";
import { ifPossible } from "../../fd/system.ts";
import { namesById, summaryOf } from "../answers/parts/fd_summary.ts";
import { groupedDigits, linesText, sizeText } from "../answers/parts/grouped_digits.ts";
import { durationText } from "../answers/parts/moment_text.ts";
import { shellLine } from "../answers/parts/next_command.ts";
import { changeCounts, changeSince } from "../findings/digest/run_changes.ts";
import { plainText } from "../calls/terms/control_chars.ts";
import { isFailed, isInner, newestFirst } from "../reading/newest_fds.ts";
import { numberIn, textIn } from "./check_request.ts";

const MAX_ROWS = 100_000;
const MAX_LIVE = 100;
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
    sizeText(entry.byteCount),
    durationMs === undefined ? undefined : `took ${durationText(durationMs)}`,
    host === undefined ? undefined : `on ${plainText(host)}`,
    entry.cwd === undefined ? undefined : `in ${plainText(entry.cwd)}`,
    gap && `${sizeText(gap.droppedBytes)} missing after byte ${groupedDigits(gap.atByte)}`,
  ];
  return {
    ...summaryOf(entry, names),
    id: entry.id,
    command: entry.command && plainText(shellLine(entry.command).slice(0, COMMAND_CHARS)),
    host,
    facts: facts.filter((fact) => fact !== undefined).join(" · "),
    exit: entry.exitCode,
    signal: entry.signal,
    parent: entry.parent && formatFd(entry.parent.id),
  };
}

/** One fd, by its handle or name in `fd`. */
export async function oneFd(store: Store, query: URLSearchParams) {
  const entry = findFd(store, query.get("fd") ?? "");
  await store.backend.refresh({ kind: "names" });
  return fdRow(store, entry, namesById(store).get(entry.id) ?? []);
}

/** The newest fds, newest first, that `q` and the filters leave; `more` if there are older ones. */
export async function fdRows(store: Store, query: URLSearchParams) {
  const limit = numberIn(query, "limit", { least: 1, most: MAX_ROWS, otherwise: 100 });
  const sought = (query.get("q") ?? "").toLowerCase();
  const filter = query.get("show") ?? "runs";
  const unreadable = new Set<string>();
  await store.backend.refresh({ kind: "names" });
  await store.backend.refresh({ kind: "records" });
  const names = namesById(store);
  const rows: ReturnType<typeof fdRow>[] = [];
  let hasMore = false;
  for (const entry of newestFirst(store, (failure) => void unreadable.add(JSON.stringify(failure)))) {
    if (!isShown(entry, filter)) continue;
    const own = names.get(entry.id) ?? [];
    if (sought !== "" && !wordsOf(entry, own).includes(sought)) continue;
    if (rows.length === limit) {
      hasMore = true;
      break;
    }
    rows.push(fdRow(store, entry, own));
  }
  return { fds: rows, more: hasMore, unreadable: unreadable.size };
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
  if (filter === "live") return entry.state === "live";
  return !isInner(entry);
}

function wordsOf(entry: FdEntry, names: readonly string[]): string {
  return [formatFd(entry.id), entry.source, entry.cwd ?? "", ...names, ...entry.command ?? []]
    .join(" ").toLowerCase();
}

/** Returns a mark that changes with the newest ids and with the live fds that the page shows. */
export function storeNews(store: Store, query: URLSearchParams) {
  const ids = (query.get("live") ?? "").split(",").filter((id) => /^[1-9][0-9]{0,14}$/.test(id));
  const live = ids.slice(0, MAX_LIVE).map((id) => {
    const entry = ifPossible(() => findFd(store, `fd:${id}`));
    return [id, entry?.state, entry?.byteCount];
  });
  return { mark: JSON.stringify([highestId(store), highestLogId(store, "tx"), live]) };
}

/** Findings that are listed, at most one of a kind. */
const MAX_FINDINGS = 50;
/** Chars of a finding that are listed. */
const FINDING_CHARS = 300;

/** Another host's content is fetched whole for its findings up to this size. */
const MAX_FETCHED_BYTES = 32 * 2 ** 20;

/** Findings by line; `decisive` is the line that weighs most. Those of content that is still written would not stay. */
export async function fdFindings(store: Store, query: URLSearchParams) {
  const entry = findFd(store, textIn(query, "fd"));
  const isFar = store.backend.fetched(entry.id) !== undefined && entry.byteCount > MAX_FETCHED_BYTES;
  if (entry.state === "live" || isFar) return { findings: [], lines: [] };
  await prepareContent(store, entry);
  const shown = (text: string) => plainText(text).trim().slice(0, FINDING_CHARS);
  const { failingPlaces } = await import("../findings/digest/digest_preview.ts");
  const { decisive, lines, findings } = failingPlaces(store, entry, MAX_FINDINGS);
  const change = await changeSince(store, entry, Date.now());
  return {
    decisive,
    lines,
    findings: findings.map(({ line, text }) => ({ line, text: shown(text) })),
    change: change && { since: change.since, isSame: change.isSame, sentence: `${changeCounts(change)}.` },
  };
}
