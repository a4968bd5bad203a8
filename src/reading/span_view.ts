/**
 * The matches that `search --only-matching` shows: each with its place, which `read --mode char --start` takes, and in a
 * long line with some of the text around it.
 */

import { isUtf8 } from "node:buffer";
import {
  type FdEntry,
  type HitSpan,
  type LineHit,
  lineSpanFinder,
  openContent,
  spansOfHit,
  type Store,
} from "../../fd/mod.ts";
import type { MatchLine } from "../terms/answers.ts";
import type { SearchRequest } from "../requests/search_request.ts";
import { shownLineBytes, type ShownMost } from "./match_view.ts";
import { matchingOf } from "./sought_lines.ts";

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
  store: Store,
  entry: FdEntry,
  hits: readonly LineHit[],
  request: SearchRequest,
  limits: ShownMost,
): SpanView {
  const finder = lineSpanFinder(matchingOf(request));
  const content = openContent(store, entry);
  const lines: MatchLine[] = [];
  let charsLeft = limits.chars;
  let shownHits = 0;
  try {
    for (const hit of hits) {
      const isLong = hit.toByte - hit.fromByte > SHORT_LINE_BYTES;
      const bounds = {
        matchBytes: shownLineBytes(limits.chars),
        contextBytes: isLong ? CONTEXT_BYTES : 0,
      };
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
  } finally {
    content.close();
  }
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
