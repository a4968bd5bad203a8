/**
 * Answers `search --only-matching`: the matches, each with its place, which `read --mode char --start` takes, and in a
 * long line with some of the text around it.
 */

import { isUtf8 } from "node:buffer";
import {
  type EqualMatches,
  type HitSpan,
  type LineHit,
  lineSpanFinder,
  type Matches,
  spansOfHit,
  usedContent,
} from "../../fd/mod.ts";
import { missingRemarks } from "../answers/parts/missing_remark.ts";
import { inSentences } from "../answers/parts/next_command.ts";
import type { FdMatches, MatchLine } from "../calls/terms/answers.ts";
import type { Message } from "../calls/terms/next_call.ts";
import {
  linesWord,
  matchesOf,
  matchingOf,
  MAX_LINE_BYTES,
  type Search,
  shownLineBytes,
  sliceAfter,
  sliceAround,
  storingAll,
  viewSentences,
} from "./match_view.ts";

/** In a longer line, matches are shown with text around them. */
const SHORT_LINE_BYTES = 200;
const CONTEXT_BYTES = 60;

/** The separators, the line end, and marks around a match count as chars too. */
const FRAME_CHARS = 5;

/** The matches to show. */
export interface SpanView {
  lines: MatchLine[];
  /** Lines of which all matches are shown. */
  shownHits: number;
  /** The line of which some matches are shown and some not. */
  openLine: number | undefined;
  /** The first match that is not shown; undefined if those of all `hits` are. */
  unshown: LineHit | undefined;
}

/** Shows the matches of `hits` in order until a limit is reached, but always the first. */
export function viewSpans(
  { store, entry, request, most: limits }: Search,
  hits: readonly LineHit[],
  finder = lineSpanFinder(matchingOf(request)),
): SpanView {
  using content = usedContent(store, entry);
  const lines: MatchLine[] = [];
  let charsLeft = limits.chars;
  let shownHits = 0;
  for (const hit of hits) {
    const isLong = hit.toByte - hit.fromByte > SHORT_LINE_BYTES;
    const bounds = { matchBytes: shownLineBytes(limits.chars), contextBytes: isLong ? CONTEXT_BYTES : 0 };
    for (const span of spansOfHit(store, content, hit, finder, request.exact !== true, bounds)) {
      const line = matchOf(hit, span, isLong);
      const { text, before = "", after = "" } = line;
      charsLeft -= `${hit.lineNumber}${span.startChar}`.length + FRAME_CHARS +
        before.length + text.length + after.length;
      const isFull = lines.length === limits.matches || charsLeft < 0 && lines.length > 0;
      if (isFull) {
        const isOpen = lines.at(-1)?.line === hit.lineNumber;
        const unshown = { ...hit, hitChar: span.startChar };
        return { lines, shownHits, openLine: isOpen ? hit.lineNumber : undefined, unshown };
      }
      lines.push(line);
    }
    shownHits++;
  }
  return { lines, shownHits, openLine: undefined, unshown: undefined };
}

function matchOf({ lineNumber }: LineHit, span: HitSpan, isLong: boolean): MatchLine {
  const { match, leftOutBytes } = span;
  return {
    line: lineNumber,
    start: span.startChar,
    shifted: span.isShifted ? true : undefined,
    partial: span.isPart ? true : undefined,
    text: match.toString("utf8"),
    ...(isUtf8(match) ? {} : { bytes: Uint8Array.from(match) }),
    cut_after: leftOutBytes === 0 ? undefined : leftOutBytes,
    ...(isLong
      ? {
        before: (span.hasMoreBefore ? "…" : "") + span.before.toString("utf8"),
        after: span.after.toString("utf8") + (span.hasMoreAfter ? "…" : ""),
      }
      : {}),
  };
}

/** From this many matches of a text in the mean on, equal ones are counted. */
const MIN_TIMES = 2;

/** Shows each different match at its first place, with how often it was found. */
function viewTexts(search: Search, { texts }: EqualMatches): SpanView {
  const { matches, chars } = search.most;
  const lines: MatchLine[] = [];
  let charsLeft = chars;
  const finder = lineSpanFinder(matchingOf(search.request));
  for (const { text, count, hit } of texts) {
    const all = { ...search, most: { matches: MAX_LINE_BYTES, chars: Infinity } };
    const line = viewSpans(all, [hit], finder).lines.find((each) => each.text === text);
    if (line === undefined) continue;
    const { before: _, after: __, ...match } = line;
    charsLeft -= text.length + `${match.line}${match.start}${count}`.length + FRAME_CHARS;
    if (charsLeft < 0 || lines.length === matches) break;
    lines.push({ ...match, times: count });
  }
  const shownHits = new Set(lines.map(({ line }) => line)).size;
  return { lines, shownHits, openLine: undefined, unshown: undefined };
}

/** Answers the search of one fd. */
export function shownSpans(search: Search, { total, hits, texts }: Matches): FdMatches {
  const { entry, request, most } = search;
  const inOrder = viewSpans(search, hits);
  const isEach = inOrder.shownHits < total && request.max_count === undefined && texts !== undefined &&
    texts.matchCount >= MIN_TIMES * texts.textCount && texts.textCount > 0;
  const each = isEach ? viewTexts(search, texts) : undefined;
  const { lines, shownHits, openLine, unshown } = each ?? inOrder;
  const sentences: Message[] = [];
  const all = storingAll(search);
  if (each !== undefined && texts !== undefined) {
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
  sentences.push(...missingRemarks(entry));
  const [first] = lines;
  const firstHit = hits.find(({ lineNumber }) => lineNumber === first?.line);
  const isLong = firstHit !== undefined && firstHit.toByte - firstHit.fromByte > MAX_LINE_BYTES;
  const cut = lines.find(({ cut_after: bytes }) => bytes !== undefined);
  const nextHit = unshown ??
    (isLong ? { ...firstHit, hitChar: first?.start ?? firstHit.hitChar } : undefined);
  return matchesOf(search, total, {
    shown: shownHits,
    only_matching: true,
    matches: lines,
    message: sentences.length === 0 ? undefined : inSentences(sentences),
    next: unshown === undefined && shownHits < total
      ? all
      : unshown === undefined && cut !== undefined
      ? { command: "read", args: sliceAfter(entry, cut) }
      : nextHit && { command: "read", args: sliceAround(entry, nextHit, request) },
  });
}
