/**
 * Searches everything stored, newest first: how many lines of each fd match, and the first of them.
 */

import {
  type FdEntry,
  type FdFailure,
  formatFd,
  type FoundIn,
  type LineHit,
  listFds,
  searchFds,
  type Store,
} from "../../fd/mod.ts";
import type { FdMatches, MatchLine, SearchedFd } from "../terms/answers.ts";
import type { Host } from "../terms/command.ts";
import { mostHitsViewed, type ShownMost, viewMatches } from "./match_view.ts";
import { missingFields } from "../answering/missing_remark.ts";
import { linesWord, matchingOf, patternText, sliceAround, soughtBy } from "./sought_lines.ts";
import { DEFAULT_CHARS, type SearchRequest } from "../requests/search_request.ts";
import type { SpanView } from "./span_view.ts";
import type { NextCall } from "../terms/next_call.ts";

/** Matching lines shown of each fd, unless the call asks for more. */
const SHOWN_OF_EACH = 3;
/** Fds listed with their counts. */
const MAX_FDS = 20;

/** Answers a search of all fds. Live ones are searched as far as they have arrived. Throws `invalid_parameter`. */
export async function searchStore(
  store: Store,
  request: SearchRequest,
  checkpoint?: Host["checkpoint"],
): Promise<FdMatches> {
  const failures: FdFailure[] = [];
  const entries = listFds(store, (failure) => failures.push(failure)).reverse();
  const totalBytes = entries.reduce((sum, { byteCount }) => sum + byteCount, 0);
  const shownMost = {
    matches: request.max_count ?? SHOWN_OF_EACH,
    chars: request.max_chars ?? DEFAULT_CHARS,
  };
  const lookups = searchFds(store, entries, {
    ...matchingOf(request),
    keep: request.count === true ? 0 : mostHitsViewed(shownMost),
  }, checkpoint && ((doneBytes) => checkpoint(doneBytes, totalBytes)));

  const answer: StoreMatches = {
    total: 0,
    shown: 0,
    withMatches: 0,
    fds: [],
    matches: [],
    cleaned: 0,
    most: undefined,
  };
  for await (const result of lookups) {
    if ("failure" in result) {
      // Removed since the store was listed.
      if (result.failure.kind !== "removed") failures.push({ ...result.failure, ...inFd(result.entry) });
    } else if (result.found.total > 0) await addMatches(answer, store, request, result, shownMost);
  }
  return storeAnswer(answer, request, entries, failures);
}

interface StoreMatches {
  total: number;
  shown: number;
  withMatches: number;
  fds: SearchedFd[];
  matches: MatchLine[];
  cleaned: number;
  /** The fd with the most matching lines, and its first one. */
  most: { entry: FdEntry; total: number; hit: LineHit | undefined } | undefined;
}

function inFd({ id }: FdEntry): { fd: string } {
  return { fd: formatFd(id) };
}

async function addMatches(
  answer: StoreMatches,
  store: Store,
  request: SearchRequest,
  { entry, found: { total, hits } }: Extract<FoundIn, { found: unknown }>,
  shownMost: ShownMost,
): Promise<void> {
  answer.total += total;
  answer.withMatches++;
  if (answer.most === undefined || total > answer.most.total) answer.most = { entry, total, hit: hits[0] };
  if (answer.fds.length >= MAX_FDS) return;
  const fd = formatFd(entry.id);
  const charsLeft = shownMost.chars -
    answer.matches.reduce((chars, { text }) => chars + text.length, 0);
  const view = charsLeft <= 0 || hits.length === 0
    ? { lines: [], shownHits: 0, cleaned: 0 }
    : request.only_matching === true
    ? { ...await viewed(store, entry, hits, request, { ...shownMost, chars: charsLeft }), cleaned: 0 }
    : viewMatches(store, entry, hits, {
      beforeLines: request.before ?? request.context ?? 0,
      afterLines: request.after ?? request.context ?? 0,
      matches: shownMost.matches,
      chars: charsLeft,
      exact: request.exact,
    });
  answer.shown += view.shownHits;
  answer.cleaned += view.cleaned;
  answer.fds.push({ fd, total, shown: view.shownHits, source: entry.source, ...missingFields(entry) });
  for (const line of view.lines) answer.matches.push({ fd, ...line });
}

async function viewed(
  store: Store,
  entry: FdEntry,
  hits: readonly LineHit[],
  request: SearchRequest,
  limits: ShownMost,
): Promise<SpanView> {
  const { viewSpans } = await import("./span_view.ts");
  return viewSpans(store, entry, hits, request, limits);
}

function storeAnswer(
  { total, shown, withMatches, fds, matches, cleaned, most }: StoreMatches,
  request: SearchRequest,
  entries: readonly FdEntry[],
  failures: readonly FdFailure[],
): FdMatches {
  const unread = failures.map((failure) => {
    const fd = "fd" in failure ? failure.fd : undefined;
    return { fd: fd ?? "an fd", error: failure.kind };
  });
  const searched = entries.length - failures.length;
  const others = withMatches - fds.length;
  const sentences = [
    total === 0
      ? `No matches in ${countedFds(searched)}.`
      : `${linesWord(total, request)} in ${withMatches} of ${countedFds(searched)}.`,
    ...(others === 0 ? [] : [`The ${others} oldest of them are not listed.`]),
    ...unread.slice(0, MAX_FDS).map(({ fd, error }) => `${fd} could not be read (${error}).`),
    ...fds.filter(({ state }) => state === "live").map(({ fd }) => `${fd} is still live.`),
  ];
  return {
    type: "fd_matches",
    pattern: patternText(request),
    total,
    shown,
    ...(request.count === true ? { counted: true } : {}),
    ...(request.only_matching === true ? { only_matching: true } : {}),
    searched,
    fds: [...fds, ...unread.slice(0, MAX_FDS)],
    cleaned: cleaned === 0 ? undefined : cleaned,
    matches,
    message: sentences.join(" "),
    next: most && nextOf(most, shown === total, request),
  };
}

/** The fd with the most matches; if all matches are shown, the lines around the first of them. */
function nextOf(
  { entry, hit }: NonNullable<StoreMatches["most"]>,
  isAllShown: boolean,
  request: SearchRequest,
): NextCall {
  if (isAllShown && hit !== undefined) return { command: "read", args: sliceAround(entry, hit, request) };
  return { command: "search", args: soughtBy(request, formatFd(entry.id)) };
}

function countedFds(count: number): string {
  return `${count} ${count === 1 ? "fd" : "fds"}`;
}
