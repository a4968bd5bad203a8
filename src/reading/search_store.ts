/**
 * Searches everything stored, newest first: how many lines of each fd match, and the first of them.
 */

import { counted } from "../answering/grouped_digits.ts";
import {
  type FdEntry,
  formatFd,
  type LineHit,
  listFds,
  type Matches,
  searchFds,
  type Store,
} from "../../fd/mod.ts";
import type { FdFailure } from "../../fd/system.ts";
import type { FdMatches, MatchLine, SearchedFd } from "../terms/answers.ts";
import type { Host } from "../terms/command.ts";
import {
  limitsOf,
  linesWord,
  matchingOf,
  type MatchView,
  mostHitsViewed,
  patternText,
  type Search,
  sliceAfter,
  sliceAround,
  sliceLeftOut,
  soughtBy,
  viewMatches,
  viewSentences,
} from "./match_view.ts";
import { missingFields } from "../answering/missing_remark.ts";
import { DEFAULT_CHARS, type SearchRequest } from "../requests/search_request.ts";
import type { ReadRequest } from "../requests/read_request.ts";
import { inSentences } from "../answering/next_command.ts";
import type { Message, NextCall } from "../terms/next_call.ts";

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
  await store.shared?.prepare({ kind: "records" });
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

  const answer = startMatches();
  for await (const result of lookups) {
    if ("failure" in result) {
      // Removed since the store was listed.
      if (result.failure.kind !== "removed") failures.push({ ...result.failure, ...inFd(result.entry) });
    } else if (result.found.total > 0) {
      await addMatches(answer, { store, entry: result.entry, request, most: shownMost }, result.found);
    }
  }
  return storeAnswer(answer, request, entries, failures);
}

function startMatches() {
  return {
    total: 0,
    shown: 0,
    withMatches: 0,
    fds: [] as SearchedFd[],
    matches: [] as MatchLine[],
    cleaned: 0,
    lacksContext: false,
    most: undefined as MostMatches | undefined,
    /** The first slice that is left out of the lines shown. */
    leftOut: undefined as ReadRequest | undefined,
  };
}

type StoreMatches = ReturnType<typeof startMatches>;

/**
 * The fd with the most matching lines, of those that are shown in part if there are any: `hit` is the first line that is not
 * shown, or the first line.
 */
interface MostMatches {
  entry: FdEntry;
  total: number;
  isPart: boolean;
  shown: number;
  hit: LineHit | undefined;
}

function inFd({ id }: FdEntry): { fd: string } {
  return { fd: formatFd(id) };
}

async function addMatches(
  answer: StoreMatches,
  search: Search,
  { total, hits }: Pick<Matches, "total" | "hits">,
): Promise<void> {
  const { entry } = search;
  answer.total += total;
  answer.withMatches++;
  const chars = search.most.chars - answer.matches.reduce((sum, { text }) => sum + text.length, 0);
  const isListed = answer.fds.length < MAX_FDS;
  const view = !isListed || chars <= 0 || hits.length === 0
    ? NOTHING_SHOWN
    : await viewIn({ ...search, most: { ...search.most, chars } }, hits);
  const { shownHits: shown, unshown } = view;
  const isPart = shown < total;
  const { most } = answer;
  if (most === undefined || (isPart === most.isPart ? total > most.total : isPart)) {
    answer.most = { entry, total, isPart, shown, hit: isPart ? unshown : hits[0] };
  }
  if (!isListed) return;
  answer.shown += shown;
  answer.cleaned += view.cleaned;
  answer.lacksContext ||= view.lacksContext;
  answer.leftOut ??= view.leftOut;
  const fd = formatFd(entry.id);
  answer.fds.push({ fd, total, shown, source: entry.source, ...missingFields(entry) });
  for (const line of view.lines) answer.matches.push({ fd, ...line });
}

/** The part of one fd that is shown. */
interface FdView extends Pick<MatchView, "lines" | "shownHits" | "cleaned" | "lacksContext"> {
  /** The first match that is not shown, as far as it is known. */
  unshown: LineHit | undefined;
  leftOut: ReadRequest | undefined;
}

const NOTHING_SHOWN: FdView = {
  lines: [],
  shownHits: 0,
  cleaned: 0,
  lacksContext: false,
  unshown: undefined,
  leftOut: undefined,
};

async function viewIn(search: Search, hits: readonly LineHit[]): Promise<FdView> {
  const { store, entry, request, most } = search;
  if (request.only_matching === true) {
    const { viewSpans } = await import("./span_view.ts");
    const view = viewSpans(search, hits);
    const cut = view.lines.find(({ cut_after: bytes }) => bytes !== undefined);
    return { ...NOTHING_SHOWN, ...view, leftOut: cut && sliceAfter(entry, cut) };
  }
  const view = viewMatches(store, entry, hits, limitsOf(request, most));
  return { ...view, unshown: hits[view.shownHits], leftOut: sliceLeftOut(entry, view, request) };
}

function storeAnswer(
  { total, shown, withMatches, fds, matches, cleaned, lacksContext, most, leftOut }: StoreMatches,
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
  const sentences: Message[] = [
    total === 0
      ? `No matches in ${counted(searched, "fd")}.`
      : `${linesWord(total, request)} in ${withMatches} of ${counted(searched, "fd")}.`,
    ...(others === 0 ? [] : [`The ${others} oldest of them are not listed.`]),
    ...viewSentences({ lines: matches, lacksContext }, undefined, request),
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
    cleaned: cleaned || undefined,
    matches,
    message: inSentences(sentences),
    next: most && nextOf(most, leftOut, request),
  };
}

/** The first lines not shown of the fd with the most matches; if all are shown, the rest of a cut line, or the lines around one. */
function nextOf(
  { entry, isPart, shown, hit }: MostMatches,
  leftOut: ReadRequest | undefined,
  request: SearchRequest,
): NextCall {
  if (!isPart && leftOut !== undefined) return { command: "read", args: leftOut };
  if (hit !== undefined && (!isPart || shown > SHOWN_OF_EACH)) {
    return { command: "read", args: sliceAround(entry, hit, request) };
  }
  return { command: "search", args: soughtBy(request, formatFd(entry.id)) };
}
