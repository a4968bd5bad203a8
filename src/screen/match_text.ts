/** Matching lines as grep shows them at a terminal. @module */

import { utf8Bytes } from "../../fd/mod.ts";
import { groupedDigits } from "../answering/grouped_digits.ts";
import { plainText } from "../terms/control_chars.ts";
import type { FdMatches, MatchLine, SearchedFd } from "../terms/answers.ts";
import { cleanedFact, endText, linesText, missingFacts } from "./fd_facts.ts";
import { markAroundText } from "./framed_body.ts";
import { facts, remarkLines, type Screen } from "./screen.ts";

export function* matchesText(answer: FdMatches, screen: Screen): Iterable<Uint8Array> {
  const { ink } = screen;
  const texts = answer.matches.map(({ text }) => text).join("\n");
  const mark = texts === "" ? "" : markAroundText(texts, screen);
  if (answer.total > 0) yield utf8Bytes(`${mark}${heading(answer, screen)}\n`);
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
  yield utf8Bytes(`${text}${searched}${shapes}${remarkLines(answer, screen, mark)}`);
}

function heading(answer: FdMatches, screen: Screen): string {
  const { fd, total, shown, counted, searched } = answer;
  return facts([
    fd === undefined ? "all fds" : screen.ink.handle(fd),
    plainText(answer.pattern),
    `${groupedDigits(total)} matching line${total === 1 ? "" : "s"}`,
    counted === true || shown === total ? undefined : `${groupedDigits(shown)} shown`,
    searched === undefined ? undefined : `${groupedDigits(searched)} fds searched`,
    ...missingFacts(answer, screen),
    endText(answer, screen),
    cleanedFact(answer.cleaned),
  ]);
}

function matchLine(match: MatchLine, { ink }: Screen): string {
  const { fd, line, text, context, cut_before: before, cut_after: after } = match;
  const separator = ink.separator(context === true ? "-" : ":");
  return (fd === undefined ? "" : `${ink.live(fd)}${ink.separator(":")}`) +
    `${ink.lineNumber(String(line))}${separator}` +
    (before === undefined ? "" : ink.dim(`[${before} bytes …] `)) + text +
    (after === undefined ? "" : ink.dim(` [… ${after} bytes]`)) + "\n";
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
