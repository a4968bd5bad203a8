/**
 * Search: matching lines with numbers and context, how many there are, or all of them as an fd (contract, Commands).
 *
 * A pattern is matched line by line; a line's text is what stands before its line feed, so a CR at its end is a char
 * of it, and `$` does not match before a CR.
 *
 * @module
 */

import {
  type FdEntry,
  findFd,
  formatFd,
  type LineHit,
  type Matches,
  searchFd as findMatches,
  type Store,
} from "../../fd/mod.ts";
import type { FdExtraction, FdMatches } from "../terms/answers.ts";
import type { Host } from "../terms/command.ts";
import { MAX_LINE_BYTES, mostHitsViewed, type ViewLimits, viewMatches } from "./match_view.ts";
import { missingFields, missingSentences, withMissingRemark } from "../answering/missing_remark.ts";
import { fdNamedBefore, namedAs } from "./named_extraction.ts";
import type { Message } from "../terms/next_call.ts";
import { callWords, inSentences } from "../answering/next_command.ts";
import type { ReadRequest } from "../requests/read_request.ts";
import { DEFAULT_CHARS, DEFAULT_MATCHES, type SearchRequest } from "../requests/search_request.ts";
import { failUsage } from "../requests/usage_failure.ts";

const NAME = "search";

/** Lines around the next match, and chars around one in a giant line, in the `read` that is offered. */
const NEXT_CONTEXT = 2;
const NEXT_CHARS = 400;
/** Names of lines in an extraction's message. */
const NAMED_LINES = 10;

function checkRequest(request: SearchRequest): void {
  if (request.extract_to_new_fd === true && request.count === true) {
    const wanted = "choose one; --extract reports the count too";
    failUsage({ kind: "conflict", command: NAME, first: "--extract", second: "--count", wanted });
  }
  if (request.name !== undefined && request.extract_to_new_fd !== true) {
    const wanted = "--extract too (to name an existing fd, use fdtool name FD NAME)";
    failUsage({ kind: "bad_value", command: NAME, option: "--name", got: request.name, wanted });
  }
}

/** What this search finds, without what is to be done with it. */
function soughtBy({ fixed, ignore_case, word, invert, pattern }: SearchRequest, fd: string): SearchRequest {
  const flag = (given: boolean | undefined) => given === true ? true : undefined;
  return {
    fd,
    fixed: flag(fixed),
    ignore_case: flag(ignore_case),
    word: flag(word),
    invert: flag(invert),
    pattern,
  };
}

/**
 * Answers a search. `checkpoint` is called now and then.
 *
 * Throws `not_found`, `removed`, `invalid_parameter`, `store_corrupt`, and with `extract_to_new_fd` what storing throws.
 */
export async function searchFd(
  store: Store,
  request: SearchRequest,
  checkpoint?: Host["checkpoint"],
): Promise<FdMatches | FdExtraction> {
  checkRequest(request);
  const entry = findFd(store, request.fd);
  const fd = formatFd(entry.id);
  const shownMost = {
    matches: request.max_count ?? DEFAULT_MATCHES,
    chars: request.max_chars ?? DEFAULT_CHARS,
  };
  const extracts = request.extract_to_new_fd === true;
  const previousFd = fdNamedBefore(store, request.name);
  const found = await findMatches(store, entry, {
    pattern: request.pattern,
    fixed: request.fixed,
    ignoreCase: request.ignore_case,
    word: request.word,
    invert: request.invert,
    keep: request.count === true ? 0 : extracts ? NAMED_LINES : mostHitsViewed(shownMost),
    // A bounded answer still says the true total; only what is stored ends there.
    stopAfter: extracts ? request.max_count : undefined,
    extract: !extracts ? undefined : {
      source: "search",
      // What makes the same lines an fd again: its record remembers it.
      command: [
        "fdtool",
        ...callWords({
          command: "search",
          args: { ...soughtBy(request, fd), max_count: request.max_count, extract_to_new_fd: true },
        }),
      ],
      pageSize: entry.pageSize,
      names: request.name === undefined ? undefined : [request.name],
      maxBytes: 0,
      parent: { id: entry.id, mode: "line", start: 1, count: entry.lineCount },
    },
  }, checkpoint && ((doneBytes) => checkpoint(doneBytes, entry.byteCount)));
  if (found.extracted !== undefined) {
    return extraction(entry, found, found.extracted, { request, previousFd });
  }
  if (found.total === 0) return noMatches(entry, request);
  if (request.count === true) return counted(entry, request, found);
  return shownMatches(store, entry, request, found, shownMost);
}

function counted(entry: FdEntry, request: SearchRequest, { total }: Matches): FdMatches {
  return {
    type: "fd_matches",
    fd: formatFd(entry.id),
    pattern: request.pattern,
    total,
    shown: 0,
    counted: true,
    ...missingFields(entry),
    matches: [],
    message: withMissingRemark(entry, linesWord(total, request)),
  };
}

/** "1 matching line", "3 lines that do not match". */
function linesWord(count: number, { invert }: SearchRequest): string {
  const lines = count === 1 ? "line" : "lines";
  if (invert !== true) return `${count} matching ${lines}`;
  return `${count} ${lines} that ${count === 1 ? "does" : "do"} not match`;
}

function noMatches(entry: FdEntry, request: SearchRequest): FdMatches {
  const fd = formatFd(entry.id);
  // Code is often searched for as it stands: f(x), a[0], {}.
  const mayBePlain = request.fixed !== true && request.invert !== true && /[([{]/.test(request.pattern);
  return {
    type: "fd_matches",
    fd,
    pattern: request.pattern,
    total: 0,
    shown: 0,
    ...(request.count === true ? { counted: true } : {}),
    ...missingFields(entry),
    matches: [],
    message: withMissingRemark(entry, "No matches"),
    next: mayBePlain ? { command: "search", args: soughtBy({ ...request, fixed: true }, fd) } : undefined,
  };
}

function shownMatches(
  store: Store,
  entry: FdEntry,
  request: SearchRequest,
  found: Matches,
  shownMost: Pick<ViewLimits, "matches" | "chars">,
): FdMatches {
  const { total, hits } = found;
  const fd = formatFd(entry.id);
  const { lines, shownHits } = viewMatches(store, entry, hits, {
    beforeLines: request.before ?? request.context ?? 0,
    afterLines: request.after ?? request.context ?? 0,
    ...shownMost,
  });
  const sentences: Message[] = [];
  if (shownHits < total) {
    const args = { ...soughtBy(request, fd), extract_to_new_fd: true };
    sentences.push(`Showing ${shownHits} of ${linesWord(total, request)}.`);
    sentences.push(["Use ", { command: "search", args }, " to store all of them as a new fd."]);
  }
  const cut = lines.find((line) => line.cut_before !== undefined || line.cut_after !== undefined);
  if (cut !== undefined) sentences.push(`Long lines are cut to ${MAX_LINE_BYTES} bytes.`);
  sentences.push(...missingSentences(fd, missingFields(entry), entry.byteCount));
  const nextHit = hits[shownHits] ??
    (cut === undefined ? undefined : hits.find((hit) => hit.lineNumber === cut.line));
  return {
    type: "fd_matches",
    fd,
    pattern: request.pattern,
    total,
    shown: shownHits,
    ...missingFields(entry),
    matches: lines,
    message: sentences.length === 0 ? undefined : inSentences(sentences),
    next: nextHit && { command: "read", args: sliceAround(entry, nextHit) },
  };
}

/** The slice around `hit`: lines, or chars if its line is too long to be read whole. */
function sliceAround(entry: FdEntry, hit: LineHit): ReadRequest {
  const fd = formatFd(entry.id);
  if (hit.toByte - hit.fromByte > MAX_LINE_BYTES) {
    const start = Math.max(0, hit.hitChar - NEXT_CHARS / 2);
    return { fd, mode: "char", start, count: Math.min(NEXT_CHARS, entry.charCount - start) };
  }
  const start = Math.max(1, hit.lineNumber - NEXT_CONTEXT);
  const last = Math.min(entry.lineCount, hit.lineNumber + NEXT_CONTEXT);
  return { fd, mode: "line", start, count: last - start + 1 };
}

function extraction(
  entry: FdEntry,
  { total, isCapped, hits }: Matches,
  made: FdEntry,
  { request, previousFd }: { request: SearchRequest; previousFd: string | undefined },
): FdExtraction {
  const source = formatFd(entry.id);
  const fd = formatFd(made.id);
  const lines = hits.slice(0, total).map(({ lineNumber }) => lineNumber);
  const others = total > lines.length ? ` and ${total - lines.length} more` : "";
  const also = namedAs(request.name, previousFd);
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
    message: withMissingRemark(
      entry,
      `Extracted ${linesWord(total, request)} of ${source} (${total === 1 ? "line" : "lines"} ` +
        `${lines.join(", ")}${others}) to ${fd}${also}.${stopped}`,
    ),
    next: isCapped
      ? { command: "search", args: { ...soughtBy(request, source), extract_to_new_fd: true } }
      : { command: "read", args: { fd } },
  };
}
