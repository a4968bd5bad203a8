/** Parts of search answers: the lines in words, the same search again, a slice around a line. */

import { type FdEntry, formatFd, type LineHit, type Store } from "../../fd/mod.ts";
import { firstChars } from "../answering/first_few.ts";
import { missingFields } from "../answering/missing_remark.ts";
import {
  type MatchView,
  MAX_LINE_BYTES,
  shownLineBytes,
  type ShownMost,
  type ViewLimits,
} from "./match_view.ts";
import type { ReadRequest } from "../requests/read_request.ts";
import { DEFAULT_CHARS, type SearchRequest } from "../requests/search_request.ts";
import type { FdMatches, MatchLine } from "../terms/answers.ts";
import type { Message, NamedCall } from "../terms/next_call.ts";

/** Context of the offered `read`: lines around the next match, or chars around one in a giant line. */
const NEXT_CONTEXT = 2;
const NEXT_CHARS = 400;

/** How lines are matched. */
export function matchingOf({ pattern, fixed, ignore_case, word, invert, exact }: SearchRequest) {
  return { pattern, fixed, ignoreCase: ignore_case, word, invert, clean: exact !== true };
}

/** Chars of the patterns that an answer repeats. */
const MAX_PATTERN_CHARS = 1000;

/** The patterns of an answer, separated by line feeds, which no pattern can contain. */
export function patternText({ pattern }: SearchRequest): string {
  return firstChars(typeof pattern === "string" ? pattern : pattern.join("\n"), MAX_PATTERN_CHARS);
}

/** A search of one fd, and the most that its answer shows. */
export interface Search {
  store: Store;
  entry: FdEntry;
  request: SearchRequest;
  most: ShownMost;
}

/** The answer to a search: nothing is shown but what `shown` has. */
export function matchesOf({ entry, request }: Search, total: number, shown: Partial<FdMatches>): FdMatches {
  return {
    type: "fd_matches",
    fd: formatFd(entry.id),
    pattern: patternText(request),
    total,
    shown: 0,
    counted: request.count === true ? true : undefined,
    only_matching: undefined,
    ...missingFields(entry),
    cleaned: undefined,
    shapes: undefined,
    matches: [],
    ...shown,
  };
}

/** The search that stores all of its matches, or those of the first `max_count` lines. */
export function storingAll(
  { entry, request }: Pick<Search, "entry" | "request">,
  max_count?: number,
): NamedCall {
  const sought = soughtBy(request, formatFd(entry.id));
  return { command: "search", args: { ...sought, max_count, extract_to_new_fd: true } };
}

/** The lines around each match that an answer shows, and the most of all. */
export function limitsOf({ before, after, context = 0, exact }: SearchRequest, most: ShownMost): ViewLimits {
  return { beforeLines: before ?? context, afterLines: after ?? context, ...most, exact };
}

/** The search without its limits and output. Without `fd`, in all fds. */
export function soughtBy(
  { fixed, ignore_case, word, invert, only_matching, exact, pattern }: SearchRequest,
  fd: string | undefined,
): SearchRequest {
  const flag = (given: boolean | undefined) => given === true ? true : undefined;
  return {
    ...(fd === undefined ? { all_fds: true } : { fd }),
    fixed: flag(fixed),
    ignore_case: flag(ignore_case),
    word: flag(word),
    invert: flag(invert),
    only_matching: flag(only_matching),
    exact: flag(exact),
    pattern,
  };
}

/** "1 matching line", "3 lines that do not match". */
export function linesWord(count: number, { invert }: SearchRequest): string {
  const lines = count === 1 ? "line" : "lines";
  if (invert !== true) return `${count} matching ${lines}`;
  return `${count} ${lines} that ${count === 1 ? "does" : "do"} not match`;
}

/** Chars around a match in a line that is cut: more than is shown of it, on both sides. */
const CUT_CHARS = 2 * MAX_LINE_BYTES + NEXT_CHARS;

/** Sentences about the parts that a view leaves out of its lines. */
export function viewSentences(
  { lines, lacksContext = false }: { lines: readonly MatchLine[]; lacksContext?: boolean },
  chars: number | undefined,
  { invert, only_matching: isOfMatches }: SearchRequest,
): Message[] {
  const sentences: Message[] = [];
  if (lines.some((line) => line.cut_before !== undefined || line.cut_after !== undefined)) {
    const most = chars === undefined ? "" : ` to ${shownLineBytes(chars)} bytes`;
    const cut = `Long ${isOfMatches === true ? "matches" : "lines"} are cut${most}`;
    sentences.push(
      invert === true || isOfMatches === true
        ? `${cut}.`
        : [`${cut}; for the matches alone use `, { parameter: "only_matching", value: true }, "."],
    );
  }
  if (lacksContext) sentences.push("Lines of context are left out.");
  return sentences;
}

/** The slice that has the first of what a view leaves out of its lines; undefined if it shows them whole. */
export function sliceLeftOut(
  entry: FdEntry,
  { leftOut }: MatchView,
  { exact }: SearchRequest,
): ReadRequest | undefined {
  if (leftOut === undefined) return undefined;
  const fd = formatFd(entry.id);
  if ("lineNumber" in leftOut) {
    const before = Math.min(CUT_CHARS / 2, leftOut.hitByte - leftOut.fromByte);
    const start = Math.max(0, leftOut.hitChar - before);
    return { fd, mode: "char", start, count: Math.min(CUT_CHARS, entry.charCount - start) };
  }
  return { fd, mode: "line", ...leftOut, max_chars: DEFAULT_CHARS, ...(exact === true ? { exact } : {}) };
}

/** The chars that follow what is shown of a match that is cut. */
export function sliceAfter(entry: FdEntry, { start = 0, text }: MatchLine): ReadRequest {
  const from = start + Array.from(text).length;
  const count = Math.min(CUT_CHARS, entry.charCount - from);
  return { fd: formatFd(entry.id), mode: "char", start: from, count };
}

/** The slice around `hit`: lines, or chars if its line is too long to be read whole. */
export function sliceAround(entry: FdEntry, hit: LineHit, { exact }: SearchRequest): ReadRequest {
  const fd = formatFd(entry.id);
  if (hit.toByte - hit.fromByte > MAX_LINE_BYTES) {
    const start = Math.max(0, hit.hitChar - NEXT_CHARS / 2);
    return { fd, mode: "char", start, count: Math.min(NEXT_CHARS, entry.charCount - start) };
  }
  const start = Math.max(1, hit.lineNumber - NEXT_CONTEXT);
  const last = Math.min(entry.lineCount, hit.lineNumber + NEXT_CONTEXT);
  return { fd, mode: "line", start, count: last - start + 1, ...(exact === true ? { exact } : {}) };
}
