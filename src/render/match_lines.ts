/**
 * Matching lines as grep shows them.
 *
 * @module
 */

import type { FdMatches, MatchLine } from "../answers.ts";

/** The text of a line; where it is long, with how much of it is not shown. */
function shownText({ text, cut_before: before, cut_after: after }: MatchLine): string {
  return (before === undefined ? "" : `[${before} bytes …] `) + text +
    (after === undefined ? "" : ` [… ${after} bytes]`);
}

/** `12:` before a line that matched, `13-` before a line of context, `--` between groups that do not touch. */
export function matchLines(answer: FdMatches): string {
  let text = "";
  let lineBefore: number | undefined;
  const grouped = answer.matches.some(({ context }) => context === true);
  for (const match of answer.matches) {
    const { line, context } = match;
    if (grouped && lineBefore !== undefined && line > lineBefore + 1) text += "--\n";
    text += `${line}${context === true ? "-" : ":"}${shownText(match)}\n`;
    lineBefore = line;
  }
  return text;
}
