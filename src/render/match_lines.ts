/**
 * Matching lines as grep shows them.
 *
 * @module
 */

import type { FdMatches } from "../answers.ts";

/** `12:` before a line that matched, `13-` before a line of context, `--` between groups that do not touch. */
export function matchLines(answer: FdMatches): string {
  let text = "";
  let lineBefore: number | undefined;
  const grouped = answer.matches.some(({ context }) => context === true);
  for (const { line, text: content, context } of answer.matches) {
    if (grouped && lineBefore !== undefined && line > lineBefore + 1) text += "--\n";
    text += `${line}${context === true ? "-" : ":"}${content}\n`;
    lineBefore = line;
  }
  return text;
}
