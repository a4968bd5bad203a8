/** Matching lines as grep shows them. */

import type { FdMatches, MatchLine } from "../../calls/terms/answers.ts";

type MatchPiece = string | MatchLine;

/** Paints the parts of a line for people; this one leaves them as they are. */
const plain = (asIs = (text: string) => text) => ({
  live: asIs,
  lineNumber: asIs,
  separator: asIs,
  dim: asIs,
  match: asIs,
});

/** The same as text, with U+FFFD for each ill-formed part. */
export function matchLines(answer: FdMatches, ink = plain()): string {
  let text = "";
  for (const piece of matchPieces(answer, ink)) {
    text += typeof piece === "string" ? piece : paintedText(piece, ink);
  }
  return text;
}

/** The text of a line with its matches painted. */
function paintedText({ text, start, spans = [] }: MatchLine, ink: ReturnType<typeof plain>): string {
  if (start !== undefined) return ink.match(text);
  let painted = "";
  let at = 0;
  for (const [from, to] of spans) {
    painted += text.slice(at, from) + ink.match(text.slice(from, to));
    at = to;
  }
  return painted + text.slice(at);
}

/**
 * `12:` before a line that matched, `12:345:` before a match alone, `40× 12:345:` before the first of 40, `13-`
 * before a line of context, `--` between groups. `isRaw`: a match has no text around it, which is otherwise beside its marks, « and ».
 */
export function* matchPieces(answer: FdMatches, ink = plain(), isRaw = false): Iterable<MatchPiece> {
  let last: MatchLine | undefined;
  const isGrouped = answer.matches.some(({ context }) => context === true);
  for (const match of answer.matches) {
    const { fd, line, context, start, times, cut_before: cutBefore, cut_after: cutAfter } = match;
    if (isGrouped && last !== undefined && (line !== last.line + 1 || fd !== last.fd)) {
      yield `${ink.separator("--")}\n`;
    }
    const colon = ink.separator(":");
    const [before, after] = isRaw ? [] : [match.before, match.after];
    yield (times === undefined ? "" : `${times}× `) + (fd === undefined ? "" : ink.live(fd) + colon) +
      ink.lineNumber(String(line)) + (context === true ? ink.separator("-") : colon) +
      (start === undefined ? "" : ink.lineNumber(`${match.shifted === true ? "~" : ""}${start}`) + colon) +
      (cutBefore === undefined ? "" : ink.dim(`[${cutBefore} bytes …] `)) +
      (before === undefined ? "" : `${before}»`);
    yield match;
    yield (cutAfter === undefined ? "" : ink.dim(` [… ${cutAfter} bytes]`)) +
      (after === undefined ? "\n" : `«${after}\n`);
    last = match;
  }
}
