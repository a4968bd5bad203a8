/** Matching lines as grep shows them. @module */

import type { FdMatches, MatchLine } from "../terms/answers.ts";

export type MatchPiece = string | MatchLine;

/** The same as text, with U+FFFD for each ill-formed part. */
export function matchLines(answer: FdMatches): string {
  let text = "";
  for (const piece of matchPieces(answer)) text += typeof piece === "string" ? piece : piece.text;
  return text;
}

/** `12:` before a line that matched, `13-` before a line of context, `--` between groups. */
export function* matchPieces(answer: FdMatches): Iterable<MatchPiece> {
  let lineBefore: number | undefined;
  let fdBefore: string | undefined;
  const grouped = answer.matches.some(({ context }) => context === true);
  for (const match of answer.matches) {
    const { fd, line, context, cut_before: before, cut_after: after } = match;
    if (grouped && lineBefore !== undefined && (line > lineBefore + 1 || fd !== fdBefore)) yield "--\n";
    yield `${fd === undefined ? "" : `${fd}:`}${line}${context === true ? "-" : ":"}${
      before === undefined ? "" : `[${before} bytes …] `
    }`;
    yield match;
    yield `${after === undefined ? "" : ` [… ${after} bytes]`}\n`;
    lineBefore = line;
    fdBefore = fd;
  }
}
