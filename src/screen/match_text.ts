/** Matching lines as grep shows them at a terminal. */

import { utf8Bytes } from "../../fd/system.ts";
import { groupedDigits, linesText } from "../answering/grouped_digits.ts";
import { plainText } from "../terms/control_chars.ts";
import type { FdMatches, MatchLine, SearchedFd } from "../terms/answers.ts";
import { cleanedFact, endText, missingFacts } from "./fd_facts.ts";
import { markAroundText } from "./framed_body.ts";
import type { Ink } from "./ink.ts";
import { facts, remarkLines, type Screen } from "./screen.ts";

export function* matchesText(answer: FdMatches, screen: Screen): Iterable<Uint8Array> {
  const { ink } = screen;
  const texts = answer.matches.map(({ text, before = "", after = "" }) => before + text + after).join("\n");
  const mark = texts === "" ? "" : markAroundText(texts, screen);
  let text = "";
  let before: MatchLine | undefined;
  const isGrouped = answer.matches.some(({ context }) => context === true);
  for (const match of answer.matches) {
    if (isGrouped && before !== undefined && (match.line > before.line + 1 || match.fd !== before.fd)) {
      text += `${ink.separator("--")}\n`;
    }
    text += matchLine(match, screen);
    before = match;
  }
  const searched = (answer.fds ?? []).map((fd) => `${mark}${searchedLine(fd, screen)}\n`).join("");
  const shapes = (answer.shapes ?? []).map(({ lines, first, like }) =>
    `${mark}${linesText(lines)} like ${ink.lineNumber(String(first))}${ink.separator(":")}${
      plainText(like)
    }\n`
  ).join("");
  // Of several fds, the message has the sum.
  const closing = answer.fd === undefined ? "" : `${mark}${closingLine(answer.fd, answer, screen)}\n`;
  const remarks = answer.fd !== undefined && answer.total === 0
    ? `${screen.ink.handle(answer.fd)}: ${remarkLines(answer, screen)}`
    : closing + remarkLines(answer, screen, mark);
  yield utf8Bytes(`${text}${shapes}${searched}${remarks}`);
}

/** The handle and the count. It comes last, where the eye is when a terminal has scrolled. */
function closingLine(fd: string, answer: FdMatches, screen: Screen): string {
  const { total } = answer;
  return facts([
    screen.ink.handle(fd),
    `${linesText(total)} match${total === 1 ? "es" : ""} ${plainText(answer.pattern)}`,
    ...missingFacts(answer, screen),
    endText(answer, screen),
    cleanedFact(answer.cleaned),
  ]);
}

function matchLine(match: MatchLine, { ink }: Screen): string {
  const { fd, line, start, context, cut_before: before, cut_after: after } = match;
  const separator = ink.separator(context === true ? "-" : ":");
  return (fd === undefined ? "" : `${ink.live(fd)}${ink.separator(":")}`) +
    `${ink.lineNumber(String(line))}${separator}` +
    (start === undefined
      ? ""
      : `${ink.lineNumber(`${match.shifted === true ? "~" : ""}${start}`)}${separator}`) +
    (before === undefined ? "" : ink.dim(`[${before} bytes …] `)) + paintedText(match, ink) +
    (after === undefined ? "" : ink.dim(` [… ${after} bytes]`)) + "\n";
}

/** The text with its matches painted; a match alone has marks and the text around it, too. */
function paintedText({ text, start, before, after, spans = [] }: MatchLine, ink: Ink): string {
  if (start !== undefined) {
    return (before === undefined ? "" : `${before}»`) + ink.match(text) +
      (after === undefined ? "" : `«${after}`);
  }
  let painted = "";
  let at = 0;
  for (const [from, to] of spans) {
    painted += text.slice(at, from) + ink.match(text.slice(from, to));
    at = to;
  }
  return painted + text.slice(at);
}

function searchedLine({ fd, total, shown, error, source, ...missing }: SearchedFd, screen: Screen): string {
  return facts([
    screen.ink.handle(fd),
    error === undefined
      ? `${shown === total ? "" : `${groupedDigits(shown ?? 0)} of `}${linesText(total ?? 0)}`
      : screen.ink.bad(error.replaceAll("_", " ")),
    source === undefined ? undefined : plainText(source),
    ...missingFacts(missing, screen),
  ]);
}
