/**
 * The matches that `search --only-matching` shows, each with its place, which `read --mode char --start` takes, and in a
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
} from "../../../fd/mod.ts";
import type { MatchLine } from "../../calls/terms/answers.ts";
import { matchingOf, type Search } from "./search.ts";
import { MAX_LINE_BYTES, shownLineBytes } from "./view_lines.ts";

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
  /** Set if each different match is shown once. */
  texts?: EqualMatches;
}

/** Shows what a search found: each match or, if that would leave many equal ones out, each different one. */
export function viewFoundSpans(search: Search, found: Matches): SpanView {
  const inOrder = viewSpans(search, found.hits);
  return viewTexts(search, found, inOrder) ?? inOrder;
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

/** Shows each different match at its first place, with how often it was found; undefined if few are equal, or all are shown. */
function viewTexts(
  search: Search,
  { total, texts }: Matches,
  { shownHits }: SpanView,
): SpanView | undefined {
  if (texts === undefined || shownHits >= total || search.request.max_count !== undefined) return undefined;
  if (texts.textCount === 0 || texts.matchCount < MIN_TIMES * texts.textCount) return undefined;
  const { matches, chars } = search.most;
  const lines: MatchLine[] = [];
  let charsLeft = chars;
  const finder = lineSpanFinder(matchingOf(search.request));
  for (const { text, count, hit } of texts.texts) {
    const all = { ...search, most: { matches: MAX_LINE_BYTES, chars: Infinity } };
    const line = viewSpans(all, [hit], finder).lines.find((each) => each.text === text);
    if (line === undefined) continue;
    const { before: _, after: __, ...match } = line;
    charsLeft -= text.length + `${match.line}${match.start}${count}`.length + FRAME_CHARS;
    if (charsLeft < 0 || lines.length === matches) break;
    lines.push({ ...match, times: count });
  }
  const lineCount = new Set(lines.map(({ line }) => line)).size;
  return { lines, shownHits: lineCount, openLine: undefined, unshown: undefined, texts };
}
