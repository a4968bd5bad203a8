/**
 * Search: matching lines with numbers and context, their count, or all of them as an fd (contract, Commands). A pattern
 * is matched against the clean view of each line: what a terminal would have left standing. With `exact` it is matched
 * against the stored line without its line feed, in which a CR is a char.
 *
 * One way leads from a request to its answer: lines are found (here), viewed (`view_lines.ts`, `view_spans.ts`) and
 * answered (`answer_matches.ts`).
 */

import {
  derivedSource,
  findFd,
  formatFd,
  listFds,
  searchFd as findMatches,
  searchFds,
  shareSealed,
  type Store,
  textEntry,
} from "../../../fd/mod.ts";
import type { FdExtraction, FdMatches } from "../../calls/terms/answers.ts";
import type { Host } from "../../calls/terms/command.ts";
import { callWords } from "../../answers/parts/next_command.ts";
import { DEFAULT_CHARS, DEFAULT_MATCHES, type SearchRequest } from "../../calls/requests/search_request.ts";
import { fdNamedBefore } from "../../answers/parts/named_before.ts";
import {
  answerCount,
  answerExtraction,
  answerLines,
  answerOfAll,
  answerSpans,
  type FoundInFd,
  MAX_FDS,
  noMatches,
  SHOWN_OF_EACH,
  storingAll,
  type UnreadFd,
} from "./answer_matches.ts";
import { matchingOf, soughtBy } from "./search.ts";
import { mostHitsViewed, viewFoundLines, viewMatches } from "./view_lines.ts";
import { viewFoundSpans, viewSpans } from "./view_spans.ts";

/** Names of lines in an extraction's message. */
const NAMED_LINES = 10;

/**
 * Answers a search. Calls `checkpoint` now and then. Throws `not_found`, `removed`, `invalid_parameter`,
 * `store_corrupt`, and with `extract_to_new_fd` what storing throws.
 */
export async function searchFd(
  store: Store,
  request: SearchRequest,
  checkpoint?: Host["checkpoint"],
): Promise<FdMatches | FdExtraction> {
  const { fd, exact, max_count, max_chars, name, extract_to_new_fd } = request;
  if (fd === undefined) return await searchStore(store, request, checkpoint);
  const stored = findFd(store, fd);
  const entry = exact === true ? stored : await textEntry(store, stored);
  const most = { matches: max_count ?? DEFAULT_MATCHES, chars: max_chars ?? DEFAULT_CHARS };
  const search = { store, entry, request, most, sought: soughtBy(request, formatFd(entry.id)) };
  const extracts = extract_to_new_fd === true;
  const names = name === undefined ? undefined : [name];
  const previousFd = await fdNamedBefore(store, name);
  const found = await findMatches(store, entry, {
    ...matchingOf(request),
    shapes: !extracts && request.count !== true && request.only_matching !== true,
    keep: request.count === true ? 0 : extracts ? NAMED_LINES : mostHitsViewed(most),
    // A bounded answer still has the true total; only an extraction stops.
    stopAfter: extracts ? max_count : undefined,
    onlyMatching: request.only_matching,
    extract: !extracts ? undefined : {
      source: derivedSource(entry, "search"),
      // The record's command repeats the extraction.
      command: ["fdtool", ...callWords(storingAll(search, max_count))],
      pageSize: entry.pageSize,
      names,
      maxBytes: 0,
      parent: { id: entry.id, mode: "line", start: 1, count: entry.lineCount },
    },
  }, checkpoint && ((doneBytes) => checkpoint(doneBytes, entry.byteCount)));
  const made = found.extracted && { entry: await shareSealed(store, found.extracted, names), previousFd };
  if (found.total === 0) {
    const { nearestSearch } = await import("./nearest_search.ts");
    const nearest = await nearestSearch(search, checkpoint);
    return noMatches(search, nearest, made);
  }
  if (made !== undefined) return answerExtraction(search, found, made);
  if (request.count === true) return answerCount(search, found);
  const spans = request.only_matching === true ? viewFoundSpans(search, found) : undefined;
  const lines = spans === undefined ? viewFoundLines(search, found) : undefined;
  return lines === undefined ? answerSpans(search, found, spans!) : answerLines(search, found, lines);
}

/** Searches everything stored, newest first. Live fds are searched as far as they have arrived. Throws `invalid_parameter`. */
async function searchStore(
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
  const most = { matches: request.max_count ?? SHOWN_OF_EACH, chars: request.max_chars ?? DEFAULT_CHARS };
  const lookups = searchFds(store, entries, {
    ...matchingOf(request),
    keep: request.count === true ? 0 : mostHitsViewed(most),
  }, checkpoint && ((doneBytes) => checkpoint(doneBytes, totalBytes)));

  const found: FoundInFd[] = [];
  let { chars } = most;
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
    const isShown = found.length < MAX_FDS && chars > 0 && hits.length > 0;
    const sought = soughtBy(request, formatFd(entry.id));
    const search = { store, entry, request, most: { ...most, chars }, sought };
    const lines = isShown && request.only_matching !== true ? viewMatches(search, hits) : undefined;
    const spans = isShown && request.only_matching === true ? viewSpans(search, hits) : undefined;
    for (const { text } of (lines ?? spans)?.lines ?? []) chars -= text.length;
    found.push({ search, total, hits, lines, spans });
  }
  return answerOfAll(request, found, entries.length, unread);
}
