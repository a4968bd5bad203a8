/**
 * Searches everything stored, newest first: how many lines of each fd match, and the first of them.
 */

import { counted } from "../answers/parts/grouped_digits.ts";
import { type FdEntry, formatFd, type LineHit, listFds, searchFds, type Store } from "../../fd/mod.ts";
import type { FdMatches, SearchedFd } from "../calls/terms/answers.ts";
import type { Host } from "../calls/terms/command.ts";
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
import { missingFields } from "../answers/parts/missing_remark.ts";
import { DEFAULT_CHARS, type SearchRequest } from "../calls/requests/search_request.ts";
import type { ReadRequest } from "../calls/requests/read_request.ts";
import { inSentences } from "../answers/parts/next_command.ts";
import type { Message, NextCall } from "../calls/terms/next_call.ts";

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
  const unread: UnreadFd[] = [];
  await store.backend.refresh({ kind: "records" });
  const entries = listFds(store, (failure) => {
    const fd = "fd" in failure ? failure.fd : undefined;
    unread.push({ fd: fd ?? "an fd", error: failure.kind });
  }).reverse();
  const totalBytes = entries.reduce((sum, { byteCount }) => sum + byteCount, 0);
  const { max_count: matches = SHOWN_OF_EACH, max_chars = DEFAULT_CHARS } = request;
  const shownMost = { matches, chars: max_chars };
  const lookups = searchFds(store, entries, {
    ...matchingOf(request),
    keep: request.count === true ? 0 : mostHitsViewed(shownMost),
  }, checkpoint && ((doneBytes) => checkpoint(doneBytes, totalBytes)));

  const found: FoundInFd[] = [];
  let { chars } = shownMost;
  for await (const result of lookups) {
    const { entry } = result;
    if ("failure" in result) {
      // Removed since the store was listed.
      const { kind } = result.failure;
      if (kind !== "removed") unread.push({ fd: formatFd(entry.id), error: kind });
      continue;
    }
    const { total, hits } = result.found;
    if (total === 0) continue;
    const view = found.length >= MAX_FDS || chars <= 0 || hits.length === 0
      ? NOTHING_SHOWN
      : await viewIn({ store, entry, request, most: { ...shownMost, chars } }, hits);
    for (const { text } of view.lines) chars -= text.length;
    found.push({ entry, total, isPart: view.shownHits < total, first: hits[0], view });
  }
  return storeAnswer(found, request, entries.length, unread);
}

type UnreadFd = Required<Pick<SearchedFd, "fd" | "error">>;

/** The matching lines of an fd, and what is shown of them. */
interface FoundInFd {
  entry: FdEntry;
  total: number;
  isPart: boolean;
  first: LineHit | undefined;
  view: FdView;
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
  found: readonly FoundInFd[],
  request: SearchRequest,
  entryCount: number,
  unread: readonly UnreadFd[],
): FdMatches {
  const listed = found.slice(0, MAX_FDS);
  const total = found.reduce((sum, each) => sum + each.total, 0);
  const cleaned = listed.reduce((sum, { view }) => sum + view.cleaned, 0);
  const fds = listed.map(({ entry, total, view }): SearchedFd => ({
    fd: formatFd(entry.id),
    total,
    shown: view.shownHits,
    source: entry.source,
    ...missingFields(entry),
  }));
  const matches = listed.flatMap(({ view }, at) => view.lines.map((line) => ({ fd: fds[at]!.fd, ...line })));
  const lacksContext = listed.some(({ view }) => view.lacksContext);
  // The fd with the most matching lines, of those that are shown in part if there are any.
  const [most] = [...found].sort((one, other) =>
    Number(other.isPart) - Number(one.isPart) || other.total - one.total
  );
  const leftOut = listed.find(({ view }) => view.leftOut !== undefined)?.view.leftOut;
  const searched = entryCount - unread.length;
  const others = found.length - fds.length;
  const sentences: Message[] = [
    total === 0
      ? `No matches in ${counted(searched, "fd")}.`
      : `${linesWord(total, request)} in ${found.length} of ${counted(searched, "fd")}.`,
    ...(others === 0 ? [] : [`The ${others} oldest of them are not listed.`]),
    ...viewSentences({ lines: matches, lacksContext }, undefined, request),
    ...unread.slice(0, MAX_FDS).map(({ fd, error }) => `${fd} could not be read (${error}).`),
    ...fds.filter(({ state }) => state === "live").map(({ fd }) => `${fd} is still live.`),
  ];
  return {
    type: "fd_matches",
    pattern: patternText(request),
    total,
    shown: listed.reduce((sum, { view }) => sum + view.shownHits, 0),
    counted: request.count === true ? true : undefined,
    only_matching: request.only_matching === true ? true : undefined,
    searched,
    fds: [...fds, ...unread.slice(0, MAX_FDS)],
    cleaned: cleaned || undefined,
    matches,
    message: inSentences(sentences),
    next: most && nextOf(most, leftOut, request),
  };
}

/**
 * The first lines not shown of the fd with the most matches; if all are shown, the rest of a cut line, or the lines
 * around one.
 */
function nextOf(
  { entry, isPart, first, view }: FoundInFd,
  leftOut: ReadRequest | undefined,
  request: SearchRequest,
): NextCall {
  if (!isPart && leftOut !== undefined) return { command: "read", args: leftOut };
  const hit = isPart ? view.unshown : first;
  if (hit !== undefined && (!isPart || view.shownHits > SHOWN_OF_EACH)) {
    return { command: "read", args: sliceAround(entry, hit, request) };
  }
  return { command: "search", args: soughtBy(request, formatFd(entry.id)) };
}
