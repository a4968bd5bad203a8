/** Answers of searches: what is shown, in words, and the call that shows what is left out. */

import { counted } from "../../answers/parts/grouped_digits.ts";
import { type FdEntry, formatFd, type LineHit, type Matches } from "../../../fd/mod.ts";
import { firstChars } from "../../answers/parts/first_few.ts";
import { missingFields, missingRemarks, withMissingRemark } from "../../answers/parts/missing_remark.ts";
import { inSentences } from "../../answers/parts/next_command.ts";
import type { ReadRequest } from "../../calls/requests/read_request.ts";
import { DEFAULT_CHARS, type SearchRequest } from "../../calls/requests/search_request.ts";
import type { FdExtraction, FdMatches, MatchLine, SearchedFd } from "../../calls/terms/answers.ts";
import type { Message, NamedCall, NextCall } from "../../calls/terms/next_call.ts";
import { namedAs } from "../../answers/parts/named_before.ts";
import type { Search } from "./search.ts";
import { type LineView, type MatchView, MAX_LINE_BYTES, shownLineBytes } from "./view_lines.ts";
import type { SpanView } from "./view_spans.ts";

/** Chars of the patterns that an answer repeats. */
const MAX_PATTERN_CHARS = 1000;

/** The patterns of an answer, separated by line feeds, which no pattern can contain. */
function patternText({ pattern }: SearchRequest): string {
  return firstChars(typeof pattern === "string" ? pattern : pattern.join("\n"), MAX_PATTERN_CHARS);
}

/** The answer to a search: nothing is shown but what `shown` has. */
function matchesOf(
  { entry, request }: Search,
  total: number,
  sentences: readonly Message[],
  shown: Partial<FdMatches>,
): FdMatches {
  const remarks = missingRemarks(entry);
  const said = sentences.map((each) =>
    typeof each !== "string" || each.endsWith(".") || remarks.length === 0 ? each : `${each}.`
  );
  return {
    type: "fd_matches",
    fd: formatFd(entry.id),
    pattern: patternText(request),
    invert: request.invert === true ? true : undefined,
    total,
    shown: 0,
    counted: request.count === true ? true : undefined,
    only_matching: undefined,
    ...missingFields(entry),
    cleaned: undefined,
    shapes: undefined,
    matches: [],
    message: said.length + remarks.length === 0 ? undefined : inSentences([...said, ...remarks]),
    ...shown,
  };
}

/** The search that stores all of its matches, or those of the first `max_count` lines. */
export function storingAll({ sought }: Pick<Search, "sought">, max_count?: number): NamedCall {
  return { command: "search", args: { ...sought, max_count, extract_to_new_fd: true } };
}

export function answerCount(search: Search, { total }: Matches): FdMatches {
  return matchesOf(search, total, [linesWord(total, search.request)], {});
}

/** An fd that was made of a search's lines, and the fd that had its name before. */
interface MadeFd {
  entry: FdEntry;
  previousFd: string | undefined;
}

/** Answers a search that found nothing, with the search nearest to it that does. */
export function noMatches(
  search: Search,
  nearest: { sentence: string; next: NextCall } | undefined,
  made: MadeFd | undefined,
): FdMatches {
  const named = made &&
    `: ${formatFd(made.entry.id)}${namedAs(search.request.name, made.previousFd)} is empty`;
  const nothing = `${nothingFound(search.entry.lineCount, search.request)}${named ?? ""}`;
  const sentence = nearest === undefined ? nothing : `${nothing}. ${nearest.sentence}`;
  return matchesOf(search, 0, [sentence], { next: nearest?.next });
}

/** Answers with the lines of a search, in order or by their shapes. */
export function answerLines(search: Search, found: Matches, view: LineView): FdMatches {
  const { entry, request, most } = search;
  const { total, hits } = found;
  const { lines, shownHits, cleaned, first } = view;
  const sentences: Message[] = [];
  if (shownHits < total) {
    const how = first === undefined ? "" : ": the rare ones, then the first of each common kind";
    sentences.push(`Showing ${shownHits} of ${linesWord(total, request)}${shareOf(total, entry)}${how}.`);
    if (found.shapeCount > found.shapes.length) {
      sentences.push(`They have ${found.shapeCount} shapes; the commonest and the rarest are listed.`);
    }
    if (found.shapes.length > 0 && total > found.shapedCount) {
      sentences.push(`Shapes are those of the first ${found.shapedCount}.`);
    }
    sentences.push(["Use ", storingAll(search), " to store all of them as a new fd."]);
  }
  sentences.push(...viewSentences(view, most.chars, request));
  const nextHit = first === undefined ? hits[shownHits] : hitOfMore(search, first, lines, hits);
  const args = nextHit === undefined
    ? sliceLeftOut(entry, view, request)
    : isShown(nextHit, lines) && isLong(nextHit)
    ? sliceLeftOut(entry, { ...view, leftOut: nextHit }, request)
    : sliceAround(entry, nextHit, request);
  const shapes = found.shapes.filter(({ count, lines }) => first === undefined || count > lines.length);
  return matchesOf(search, total, sentences, {
    shown: shownHits,
    cleaned: cleaned || undefined,
    shapes: shownHits === total || found.shapes.length === 0 ? undefined : shapes.map(shapeFields),
    matches: lines,
    next: args && { command: "read", args },
  });
}

/** The hit to read around: the first of the kinds or, if all lines around it are shown whole, the first that is not shown. */
function hitOfMore(
  { entry, request }: Search,
  first: LineHit,
  lines: readonly MatchLine[],
  hits: readonly LineHit[],
): LineHit | undefined {
  const { mode, start = 1, count = 1 } = sliceAround(entry, first, request);
  const whole = new Set(
    lines.filter(({ cut_before, cut_after }) => cut_before === undefined && cut_after === undefined)
      .map(({ line }) => line),
  );
  for (let line = start; line < start + count; line++) if (mode === "char" || !whole.has(line)) return first;
  return hits.find(({ lineNumber }) => !whole.has(lineNumber));
}

const isShown = ({ lineNumber }: LineHit, lines: readonly MatchLine[]): boolean =>
  lines.some(({ line }) => line === lineNumber);

/** Whether a hit's line is too long to be read whole. */
const isLong = ({ fromByte, toByte }: LineHit): boolean => toByte - fromByte > MAX_LINE_BYTES;

/** Chars of a shape's first line that are shown. */
const SHAPE_CHARS = 120;

function shapeFields({ count, lines, example }: Matches["shapes"][number]) {
  const line = example.trimEnd();
  const like = line.length > SHAPE_CHARS ? `${line.slice(0, SHAPE_CHARS)}…` : line;
  return { lines: count, first: lines[0]!.lineNumber, like };
}

function nothingFound(count: number, { invert }: SearchRequest): string {
  return invert === true && count > 0 ? "All lines match" : "No matches";
}

/** "1 matching line", "3 lines that do not match". */
export function linesWord(count: number, { invert }: SearchRequest): string {
  const lines = count === 1 ? "line" : "lines";
  if (invert !== true) return `${count} matching ${lines}`;
  return `${count} ${lines} that ${count === 1 ? "does" : "do"} not match`;
}

/** ", 33% of all lines" if a tenth or more of all lines match. */
function shareOf(total: number, { lineCount }: FdEntry): string {
  return total * 10 < lineCount ? "" : `, ${Math.floor((total / lineCount) * 100)}% of all lines`;
}

/** Answers with the matches of a search: each, or each different one. */
export function answerSpans(search: Search, { total, hits }: Matches, view: SpanView): FdMatches {
  const { entry, request, most } = search;
  const all = storingAll(search);
  const { lines, shownHits, openLine, unshown, texts } = view;
  const sentences: Message[] = [];
  if (texts !== undefined) {
    const of = texts.lineCount < total ? `the first ${texts.lineCount} of ` : "";
    const some = lines.length < texts.textCount ? `${lines.length} of the ` : "the ";
    sentences.push(
      `Showing ${some}${texts.textCount} different matches among ${texts.matchCount} in ${of}${
        linesWord(total, request)
      }, each with how often it was found, at its first place.`,
    );
    sentences.push(["Use ", all, " to store all of them as a new fd."]);
  } else if (shownHits < total) {
    const count = new Set(lines.map(({ line }) => line)).size;
    const more = openLine === undefined ? "" : `; line ${openLine} has more`;
    sentences.push(`Showing ${lines.length} matches, from ${count} of ${linesWord(total, request)}${more}.`);
    sentences.push(["Use ", all, " to store all of them as a new fd."]);
  } else if (lines.length === 0) sentences.push("All matches are empty.");
  sentences.push(...viewSentences({ lines }, most.chars, request));
  if (lines.some(({ partial }) => partial === true)) {
    sentences.push("Matches beyond 64 KiB in a line beyond 256 KiB are shown in parts.");
  }
  if (lines.some(({ shifted }) => shifted === true)) {
    const exact = { parameter: "exact", value: true } as const;
    sentences.push(["START with ~ counts the text that is shown; for stored offsets use ", exact, "."]);
  }
  if (request.context !== undefined || request.before !== undefined || request.after !== undefined) {
    sentences.push("Lines of context are left out.");
  }
  const [first] = lines;
  const firstHit = hits.find(({ lineNumber }) => lineNumber === first?.line);
  const cut = lines.find(({ cut_after: bytes }) => bytes !== undefined);
  const nextHit = unshown ??
    (firstHit !== undefined && isLong(firstHit)
      ? { ...firstHit, hitChar: first?.start ?? firstHit.hitChar }
      : undefined);
  return matchesOf(search, total, sentences, {
    shown: shownHits,
    only_matching: true,
    matches: lines,
    next: unshown === undefined && shownHits < total
      ? all
      : unshown === undefined && cut !== undefined
      ? { command: "read", args: sliceAfter(entry, cut) }
      : nextHit && { command: "read", args: sliceAround(entry, nextHit, request) },
  });
}

/** "12 matches in " if the matches were stored, not their lines. */
function spansWord({ only_matching: isOfSpans }: SearchRequest, count: number): string {
  return isOfSpans === true ? `${count} ${count === 1 ? "match" : "matches"} in ` : "";
}

/** Answers with the fd that the lines of a search were stored as. */
export function answerExtraction(
  search: Search,
  { total, isCapped, hits, spanCount }: Matches,
  { entry: made, previousFd }: MadeFd,
): FdExtraction {
  const { entry, request } = search;
  const source = formatFd(entry.id);
  const fd = formatFd(made.id);
  const lines = hits.slice(0, total).map(({ lineNumber }) => lineNumber);
  const others = total > lines.length ? ` and ${total - lines.length} more` : "";
  const also = namedAs(request.name, previousFd);
  const what = `${spansWord(request, spanCount)}${linesWord(total, request)} of ${source}`;
  const where = `${total === 1 ? "line" : "lines"} ${lines.join(", ")}${others}`;
  const stopped = isCapped
    ? ` The search stopped there; more lines ${
      request.invert === true ? "do not match" : "match"
    }. The next command stores all of them.`
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
    next: isCapped ? storingAll(search) : { command: "read", args: { fd } },
  };
}

/** Matching lines shown of each fd in a search of all, unless the call asks for more. */
export const SHOWN_OF_EACH = 3;
/** Fds listed with their counts. */
export const MAX_FDS = 20;

export type UnreadFd = Required<Pick<SearchedFd, "fd" | "error">>;

/** The matching lines of an fd, and the view of them, if they are shown. */
export interface FoundInFd {
  search: Search;
  total: number;
  hits: readonly LineHit[];
  lines: MatchView | undefined;
  spans: SpanView | undefined;
}

interface PartShown {
  shown: readonly MatchLine[];
  shownHits: number;
  isPart: boolean;
  cleaned: number;
  /** The first match that is not shown, as far as it is known. */
  unshown: LineHit | undefined;
  leftOut: ReadRequest | undefined;
}

function partShown({ search: { entry, request }, total, hits, lines, spans }: FoundInFd): PartShown {
  const { lines: shown = [], shownHits = 0 } = lines ?? spans ?? {};
  const cut = spans?.lines.find(({ cut_after: bytes }) => bytes !== undefined);
  return {
    shown,
    shownHits,
    isPart: shownHits < total,
    cleaned: lines?.cleaned ?? 0,
    unshown: lines === undefined ? spans?.unshown : hits[shownHits],
    leftOut: lines === undefined ? cut && sliceAfter(entry, cut) : sliceLeftOut(entry, lines, request),
  };
}

/** Answers a search of all fds: how many lines of each match, and the first of them. */
export function answerOfAll(
  request: SearchRequest,
  everywhere: readonly FoundInFd[],
  entryCount: number,
  unread: readonly UnreadFd[],
): FdMatches {
  const found = everywhere.map((each) => ({ ...each, ...partShown(each) }));
  const listed = found.slice(0, MAX_FDS);
  const total = found.reduce((sum, each) => sum + each.total, 0);
  const cleaned = listed.reduce((sum, each) => sum + each.cleaned, 0);
  const fds = listed.map(({ search: { entry }, total, shownHits }): SearchedFd => ({
    fd: formatFd(entry.id),
    total,
    shown: shownHits,
    source: entry.source,
    ...missingFields(entry),
  }));
  const matches = listed.flatMap(({ shown }, at) => shown.map((line) => ({ fd: fds[at]!.fd, ...line })));
  const lacksContext = listed.some((each) => each.lines?.lacksContext);
  // The fd with the most matching lines, of those that are shown in part if there are any.
  const [most] = [...found].sort((one, other) =>
    Number(other.isPart) - Number(one.isPart) || other.total - one.total
  );
  const leftOut = listed.find((each) => each.leftOut !== undefined)?.leftOut;
  const searched = entryCount - unread.length;
  const others = found.length - fds.length;
  const sentences: Message[] = [
    total === 0
      ? `${nothingFound(searched, request)} in ${counted(searched, "fd")}.`
      : `${linesWord(total, request)} in ${found.length} of ${counted(searched, "fd")}.`,
    ...(others === 0 ? [] : [`The ${others} oldest of them are not listed.`]),
    ...viewSentences({ lines: matches, lacksContext }, undefined, request),
    ...unread.slice(0, MAX_FDS).map(({ fd, error }) => `${fd} could not be read (${error}).`),
    ...fds.filter(({ state }) => state === "live").map(({ fd }) => `${fd} is still live.`),
  ];
  return {
    type: "fd_matches",
    pattern: patternText(request),
    invert: request.invert === true ? true : undefined,
    total,
    shown: listed.reduce((sum, { shownHits }) => sum + shownHits, 0),
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
  { search: { entry, sought }, isPart, hits: [first], unshown, shownHits }: FoundInFd & PartShown,
  leftOut: ReadRequest | undefined,
  request: SearchRequest,
): NextCall {
  if (!isPart && leftOut !== undefined) return { command: "read", args: leftOut };
  const hit = isPart ? unshown : first;
  if (hit !== undefined && (!isPart || shownHits > SHOWN_OF_EACH)) {
    return { command: "read", args: sliceAround(entry, hit, request) };
  }
  return { command: "search", args: sought };
}

/** Context of the offered `read`: lines around the next match, or chars around one in a giant line. */
const NEXT_CONTEXT = 2;
const NEXT_CHARS = 400;

/** Chars around a match in a line that is cut: more than is shown of it, on both sides. */
const CUT_CHARS = 2 * MAX_LINE_BYTES + NEXT_CHARS;

/** Sentences about the parts that a view leaves out of its lines. */
function viewSentences(
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
function sliceLeftOut(
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
function sliceAfter(entry: FdEntry, { start = 0, text }: MatchLine): ReadRequest {
  const from = start + Array.from(text).length;
  const count = Math.min(CUT_CHARS, entry.charCount - from);
  return { fd: formatFd(entry.id), mode: "char", start: from, count };
}

/** The slice around `hit`: lines, or chars if its line is too long to be read whole. */
function sliceAround(entry: FdEntry, hit: LineHit, { exact }: SearchRequest): ReadRequest {
  const fd = formatFd(entry.id);
  if (isLong(hit)) {
    const start = Math.max(0, hit.hitChar - NEXT_CHARS / 2);
    return { fd, mode: "char", start, count: Math.min(NEXT_CHARS, entry.charCount - start) };
  }
  const start = Math.max(1, hit.lineNumber - NEXT_CONTEXT);
  const last = Math.min(entry.lineCount, hit.lineNumber + NEXT_CONTEXT);
  return { fd, mode: "line", start, count: last - start + 1, ...(exact === true ? { exact } : {}) };
}
