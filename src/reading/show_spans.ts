/** Answers `search --only-matching` of one fd. Loaded when called. */

import { type FdEntry, formatFd, type Matches, type Store } from "../../fd/mod.ts";
import type { FdMatches } from "../terms/answers.ts";
import type { Message, NextCall } from "../terms/next_call.ts";
import { missingFields, missingSentences } from "../answering/missing_remark.ts";
import { inSentences } from "../answering/next_command.ts";
import type { SearchRequest } from "../requests/search_request.ts";
import { MAX_LINE_BYTES, type ShownMost } from "./match_view.ts";
import { linesWord, patternText, sliceAfter, sliceAround, soughtBy, viewSentences } from "./sought_lines.ts";
import { viewSpans } from "./span_view.ts";

export function shownSpans(
  store: Store,
  entry: FdEntry,
  request: SearchRequest,
  { total, hits }: Matches,
  shownMost: ShownMost,
): FdMatches {
  const fd = formatFd(entry.id);
  const { lines, shownHits, openLine, unshown } = viewSpans(store, entry, hits, request, shownMost);
  const sentences: Message[] = [];
  const all: NextCall = { command: "search", args: { ...soughtBy(request, fd), extract_to_new_fd: true } };
  if (shownHits < total) {
    const count = new Set(lines.map(({ line }) => line)).size;
    const more = openLine === undefined ? "" : `; line ${openLine} has more`;
    sentences.push(`Showing ${lines.length} matches, from ${count} of ${linesWord(total, request)}${more}.`);
    sentences.push(["Use ", all, " to store all of them as a new fd."]);
  } else if (lines.length === 0) sentences.push("All matches are empty.");
  sentences.push(...viewSentences({ lines }, shownMost.chars, request));
  if (lines.some(({ partial }) => partial === true)) {
    sentences.push("Matches beyond 64 KiB in a line beyond 256 KiB are shown in parts.");
  }
  if (lines.some(({ shifted }) => shifted === true)) {
    sentences.push([
      "START with ~ counts the text that is shown; for stored offsets use ",
      { parameter: "exact", value: true },
      ".",
    ]);
  }
  if (request.context !== undefined || request.before !== undefined || request.after !== undefined) {
    sentences.push("Lines of context are left out.");
  }
  sentences.push(...missingSentences(fd, missingFields(entry), entry.byteCount));
  const [first] = lines;
  const firstHit = hits.find(({ lineNumber }) => lineNumber === first?.line);
  const isLong = firstHit !== undefined && firstHit.toByte - firstHit.fromByte > MAX_LINE_BYTES;
  const cut = lines.find(({ cut_after: bytes }) => bytes !== undefined);
  const nextHit = unshown ??
    (isLong ? { ...firstHit, hitChar: first?.start ?? firstHit.hitChar } : undefined);
  return {
    type: "fd_matches",
    fd,
    pattern: patternText(request),
    total,
    shown: shownHits,
    only_matching: true,
    ...missingFields(entry),
    matches: lines,
    message: sentences.length === 0 ? undefined : inSentences(sentences),
    next: unshown === undefined && shownHits < total
      ? all
      : unshown === undefined && cut !== undefined
      ? { command: "read", args: sliceAfter(entry, cut) }
      : nextHit && { command: "read", args: sliceAround(entry, nextHit, request) },
  };
}
