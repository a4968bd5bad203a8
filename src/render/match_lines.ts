/** Matching lines as grep shows them. */

import type { FdMatches, MatchLine } from "../terms/answers.ts";

export type MatchPiece = string | MatchLine;

/** The same as text, with U+FFFD for each ill-formed part. */
export function matchLines(answer: FdMatches): string {
  let text = "";
  for (const piece of matchPieces(answer)) text += typeof piece === "string" ? piece : piece.text;
  return text;
}

/**
 * `12:` before a line that matched, `12:345:` before a match alone, `40× 12:345:` before the first of 40, `13-`
 * before a line of context, `--` between groups. `isRaw`: a match has no text around it, which is otherwise beside its marks, « and ».
 */
export function* matchPieces(answer: FdMatches, isRaw = false): Iterable<MatchPiece> {
  let lineBefore: number | undefined;
  let fdBefore: string | undefined;
  const grouped = answer.matches.some(({ context }) => context === true);
  for (const match of answer.matches) {
    const { fd, line, context, start, cut_before: before, cut_after: after } = match;
    if (grouped && lineBefore !== undefined && (line !== lineBefore + 1 || fd !== fdBefore)) yield "--\n";
    yield `${match.times === undefined ? "" : `${match.times}× `}${fd === undefined ? "" : `${fd}:`}${line}${
      context === true ? "-" : ":"
    }${start === undefined ? "" : `${match.shifted === true ? "~" : ""}${start}:`}${
      before === undefined ? "" : `[${before} bytes …] `
    }${isRaw || match.before === undefined ? "" : `${match.before}»`}`;
    yield match;
    yield `${after === undefined ? "" : ` [… ${after} bytes]`}${
      isRaw || match.after === undefined ? "" : `«${match.after}`
    }\n`;
    lineBefore = line;
    fdBefore = fd;
  }
}
