/**
 * Search: matching lines with numbers and context, their count, or all of them as an fd (contract, Commands). A pattern
 * is matched against the clean view of each line: what a terminal would have left standing. With `exact` it is matched
 * against the stored line without its line feed, in which a CR is a char.
 */

import {
  derivedSource,
  type FdEntry,
  findFd,
  formatFd,
  type LineHit,
  type Matches,
  searchFd as findMatches,
  shareSealed,
  type Store,
  textEntry,
} from "../../fd/mod.ts";
import type { FdExtraction, FdMatches } from "../calls/terms/answers.ts";
import type { Host } from "../calls/terms/command.ts";
import {
  limitsOf,
  linesWord,
  matchesOf,
  matchingOf,
  mostHitsViewed,
  type Search,
  sliceAround,
  sliceLeftOut,
  storingAll,
  viewKinds,
  viewMatches,
  viewSentences,
} from "./match_view.ts";
import { missingFields, missingRemarks, withMissingRemark } from "../answers/parts/missing_remark.ts";
import { fdNamedBefore, namedAs } from "./extract_slice.ts";
import type { Message } from "../calls/terms/next_call.ts";
import { callWords, inSentences } from "../answers/parts/next_command.ts";
import { DEFAULT_CHARS, DEFAULT_MATCHES, type SearchRequest } from "../calls/requests/search_request.ts";

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
  if (request.fd === undefined) {
    return (await import("./search_store.ts")).searchStore(store, request, checkpoint);
  }
  const stored = findFd(store, request.fd);
  const entry = request.exact === true ? stored : await textEntry(store, stored);
  const most = { matches: request.max_count ?? DEFAULT_MATCHES, chars: request.max_chars ?? DEFAULT_CHARS };
  const search = { store, entry, request, most };
  const extracts = request.extract_to_new_fd === true;
  const previousFd = await fdNamedBefore(store, request.name);
  const found = await findMatches(store, entry, {
    ...matchingOf(request),
    shapes: !extracts && request.count !== true && request.only_matching !== true,
    keep: request.count === true ? 0 : extracts ? NAMED_LINES : mostHitsViewed(most),
    // A bounded answer still has the true total; only an extraction stops.
    stopAfter: extracts ? request.max_count : undefined,
    onlyMatching: request.only_matching,
    extract: !extracts ? undefined : {
      source: derivedSource(entry, "search"),
      // The record's command repeats the extraction.
      command: ["fdtool", ...callWords(storingAll(search, request.max_count))],
      pageSize: entry.pageSize,
      names: namesOf(request),
      maxBytes: 0,
      parent: { id: entry.id, mode: "line", start: 1, count: entry.lineCount },
    },
  }, checkpoint && ((doneBytes) => checkpoint(doneBytes, entry.byteCount)));
  const extracted = found.extracted && await shareSealed(store, found.extracted, namesOf(request));
  if (found.total === 0) {
    const named = extracted &&
      `${formatFd(extracted.id)}${namedAs(request.name, previousFd)} is empty`;
    return await noMatches(search, checkpoint, named);
  }
  if (extracted !== undefined) return extraction(search, found, extracted, previousFd);
  if (request.count === true) {
    const message = withMissingRemark(entry, linesWord(found.total, request));
    return matchesOf(search, found.total, { message });
  }
  if (request.only_matching !== true) return shownMatches(search, found);
  return (await import("./span_view.ts")).shownSpans(search, found);
}

function namesOf({ name }: SearchRequest): string[] | undefined {
  return name === undefined ? undefined : [name];
}

async function noMatches(
  search: Search,
  checkpoint: Host["checkpoint"],
  named: string | undefined,
): Promise<FdMatches> {
  const nothing = named === undefined ? "No matches" : `No matches: ${named}`;
  const { nearestSearch } = await import("./nearest_search.ts");
  const nearest = await nearestSearch(search, checkpoint);
  const said = nearest === undefined ? nothing : `${nothing}. ${nearest.sentence}`;
  return matchesOf(search, 0, { message: withMissingRemark(search.entry, said), next: nearest?.next });
}

function shownMatches(search: Search, found: Matches): FdMatches {
  const { store, entry, request, most } = search;
  const { total, hits } = found;
  const limits = limitsOf(request, most);
  const inOrder = viewMatches(store, entry, hits, limits);
  const hasOrder = inOrder.shownHits === total || request.max_count !== undefined;
  const kinds = hasOrder ? undefined : viewKinds(search, found, limits);
  const view = kinds ?? inOrder;
  const { lines, shownHits, cleaned } = view;
  const sentences: Message[] = [];
  if (shownHits < total) {
    const how = kinds === undefined ? "" : ": the rare ones, then the first of each common kind";
    sentences.push(`Showing ${shownHits} of ${linesWord(total, request)}${shareOf(total, entry)}${how}.`);
    if (found.shapeCount > found.shapes.length) {
      sentences.push(`They have ${found.shapeCount} shapes; the commonest and the rarest are listed.`);
    }
    if (found.shapes.length > 0 && total > found.shapedCount) {
      sentences.push(`Shapes are those of the first ${found.shapedCount}.`);
    }
    sentences.push(["Use ", storingAll(search), " to store all of them as a new fd."]);
  }
  sentences.push(...viewSentences(view, most.chars, request), ...missingRemarks(entry));
  const nextHit = kinds === undefined ? hits[shownHits] : hitOfMore(entry, kinds, hits, request);
  const args = nextHit === undefined
    ? sliceLeftOut(entry, view, request)
    : sliceAround(entry, nextHit, request);
  const shapes = found.shapes.filter(({ count, lines }) => kinds === undefined || count > lines.length);
  return matchesOf(search, total, {
    shown: shownHits,
    cleaned: cleaned || undefined,
    shapes: shownHits === total || found.shapes.length === 0 ? undefined : shapes.map(shapeFields),
    matches: lines,
    message: sentences.length === 0 ? undefined : inSentences(sentences),
    next: args && { command: "read", args },
  });
}

/** The hit to read around: the first of the kinds or, if all lines around it are shown whole, the first that is not shown. */
function hitOfMore(
  entry: FdEntry,
  { first, lines }: NonNullable<ReturnType<typeof viewKinds>>,
  hits: readonly LineHit[],
  request: SearchRequest,
): LineHit | undefined {
  const { mode, start = 1, count = 1 } = sliceAround(entry, first, request);
  const whole = new Set(
    lines.filter(({ cut_before, cut_after }) => cut_before === undefined && cut_after === undefined)
      .map(({ line }) => line),
  );
  for (let line = start; line < start + count; line++) if (mode === "char" || !whole.has(line)) return first;
  return hits.find(({ lineNumber }) => !whole.has(lineNumber));
}

/** Chars of a shape's first line that are shown. */
const SHAPE_CHARS = 120;

function shapeFields({ count, lines, example }: Matches["shapes"][number]) {
  const line = example.trimEnd();
  const like = line.length > SHAPE_CHARS ? `${line.slice(0, SHAPE_CHARS)}…` : line;
  return { lines: count, first: lines[0]!.lineNumber, like };
}

/** "12 matches in " if the matches were stored, not their lines. */
function spansWord({ only_matching: isOfSpans }: SearchRequest, count: number): string {
  return isOfSpans === true ? `${count} ${count === 1 ? "match" : "matches"} in ` : "";
}

/** ", 33% of all lines" if a tenth or more of all lines match. */
function shareOf(total: number, { lineCount }: FdEntry): string {
  return total * 10 < lineCount ? "" : `, ${Math.floor((total / lineCount) * 100)}% of all lines`;
}

function extraction(
  { entry, request }: Search,
  { total, isCapped, hits, spanCount }: Matches,
  made: FdEntry,
  previousFd: string | undefined,
): FdExtraction {
  const source = formatFd(entry.id);
  const fd = formatFd(made.id);
  const lines = hits.slice(0, total).map(({ lineNumber }) => lineNumber);
  const others = total > lines.length ? ` and ${total - lines.length} more` : "";
  const also = namedAs(request.name, previousFd);
  const what = `${spansWord(request, spanCount)}${linesWord(total, request)} of ${source}`;
  const where = `${total === 1 ? "line" : "lines"} ${lines.join(", ")}${others}`;
  const stopped = isCapped
    ? " The search stopped there; more lines match. The next command stores all of them."
    : "";
  return {
    type: "fd_extraction",
    source_fd: source,
    new_fd: fd,
    mode: "line",
    content_size: made.charCount,
    start: lines[0]!,
    count: total,
    ...(isCapped ? { capped: true } : {}),
    ...(previousFd === undefined ? {} : { previous_fd: previousFd }),
    ...missingFields(entry),
    message: withMissingRemark(entry, `Extracted ${what} (${where}) to ${fd}${also}.${stopped}`),
    next: isCapped ? storingAll({ entry, request }) : { command: "read", args: { fd } },
  };
}
