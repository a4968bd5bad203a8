/** Slices, results of captures, matches, diffs and queries: content with a heading and what can be done next. */

import { utf8Bytes } from "../../../fd/system.ts";
import { counted, groupedDigits, linesText, sizeText } from "../parts/grouped_digits.ts";
import { numberedBody, previewBodies } from "../render/body_text.ts";
import { matchLines } from "../render/match_lines.ts";
import type { FdMatches, FdResult, SearchedFd } from "../../calls/terms/answers.ts";
import { plainText } from "../../calls/terms/control_chars.ts";
import type { Message, Remarks } from "../../calls/terms/next_call.ts";
import { messageText } from "../parts/next_command.ts";
import { framedBody, markAround, markAroundText, shownDiff } from "./framed_body.ts";
import {
  cleanedFact,
  endText,
  facts,
  missingFacts,
  ranText,
  remarkLines,
  type Screen,
  type Texts,
} from "./screen.ts";

/** Answers with content as text. */
export const CONTENT_TEXTS = {
  fd_content(answer, screen) {
    const body = numberedBody(answer);
    const mark = markAround([body], screen);
    const { page, pages, lines, total_lines: total, mode, start, count } = answer;
    const which = page === "all"
      ? "all"
      : page !== undefined
      ? `page ${page} of ${groupedDigits(pages)}`
      : mode === "char"
      ? `chars ${start}-${start + count}`
      : undefined;
    const heading = facts([
      screen.ink.handle(answer.fd),
      which,
      lines === "0-0" ? "no lines" : `lines ${lines} of ${groupedDigits(total)}`,
      answer.continued ? "starts inside a line" : undefined,
      answer.truncated ? "ends inside a line" : undefined,
      ...missingFacts(answer, screen),
      answer.host === undefined ? undefined : `written on ${plainText(answer.host)}`,
      endText(answer, screen),
      answer.shown_chars === undefined ? undefined : `${groupedDigits(answer.shown_chars)} chars shown`,
      cleanedFact(answer.cleaned),
    ]);
    return framedBody(`${mark}${heading}\n`, body, closingLines(answer, screen, mark));
  },
  *fd_result(answer, screen) {
    const parts = previewBodies(answer.preview);
    const mark = parts.length === 0 ? "" : markAround(parts.map(({ body }) => body), screen);
    const closing = `${mark}${storedLine(answer, screen)}\n${
      remarkLines({ message: withoutSummary(answer.message, screen), next: answer.next }, screen, mark)
    }`;
    if (parts.length === 0) return yield utf8Bytes(closing);
    for (const [at, { lines, body }] of parts.entries()) {
      // Several parts are headed by their lines; a single one needs no heading beside the closing line.
      const heading = parts.length === 1 ? "" : `${mark}lines ${lines}\n`;
      yield* framedBody(heading, body, at === parts.length - 1 ? closing : "");
    }
  },
  fd_diff(answer, screen) {
    const { lines, mark } = shownDiff(answer.diff, screen);
    const cleaned = cleanedFact(answer.cleaned);
    const said = cleaned === undefined ? "" : `${mark}${cleaned}\n`;
    return lines + said + remarkLines(answer, screen, mark);
  },
  fd_query(answer, screen) {
    const { ink } = screen;
    const heading = facts([
      ink.handle(answer.fd),
      plainText(answer.filter),
      counted(answer.results, "result", groupedDigits),
      answer.new_fd === undefined ? undefined : `stored as ${ink.handle(answer.new_fd)}`,
      answer.error === undefined ? undefined : ink.bad(answer.error.replaceAll("_", " ")),
      answer.truncated === true ? "cut" : undefined,
      ...missingFacts(answer, screen),
    ]);
    if (answer.values === undefined) return [utf8Bytes(`${heading}\n${remarkLines(answer, screen)}`)];
    const mark = markAround([answer.values], screen);
    return framedBody(`${mark}${heading}\n`, answer.values, closingLines(answer, screen, mark));
  },
  *fd_matches(answer, screen) {
    const { ink } = screen;
    const plain = matchLines(answer);
    const mark = plain === "" ? "" : markAroundText(plain, screen);
    const searched = (answer.fds ?? []).map((fd) => `${mark}${searchedLine(fd, screen)}\n`).join("");
    const shapes = (answer.shapes ?? []).map(({ lines, first, like }) =>
      `${mark}${linesText(lines)} like ${ink.lineNumber(String(first))}${ink.separator(":")}${
        plainText(like)
      }\n`
    ).join("");
    // Of several fds, the message has the sum.
    const closing = answer.fd === undefined ? "" : `${mark}${closingLine(answer.fd, answer, screen)}\n`;
    const remarks = answer.fd === undefined || answer.total > 0
      // The closing line has the count.
      ? closing +
        remarkLines(answer.fd !== undefined && answer.counted ? { next: answer.next } : answer, screen, mark)
      : `${screen.ink.handle(answer.fd)}: ${remarkLines(answer, screen)}`;
    yield utf8Bytes(`${matchLines(answer, ink)}${shapes}${searched}${remarks}`);
  },
} satisfies Texts;

/** The lines after content; at least the mark if the two are to be separated. */
function closingLines(answer: Remarks, screen: Screen, mark: string): string {
  return remarkLines(answer, screen, mark) || (screen.isMarked === true ? mark : "");
}

/** The message without its first part, which says how much was stored; undefined if that is all. */
function withoutSummary(message: Message, { writeCall }: Screen): string | undefined {
  return messageText(typeof message === "string" ? message : message.slice(1), writeCall).trim() || undefined;
}

/** The line that says what was stored: handle, lines, size, end and time of the command. */
function storedLine(answer: FdResult, screen: Screen): string {
  return facts([
    screen.ink.handle(answer.fd),
    linesText(answer.total_lines),
    sizeText(answer.bytes),
    endText(answer, screen),
    ranText(answer.duration_ms),
    // The message says what a limit dropped.
    ...missingFacts({ state: answer.state }, screen),
    answer.shared === false ? screen.ink.bad("not shared yet") : undefined,
    cleanedFact(answer.cleaned),
  ]);
}

/** The handle and the count. It comes last, where the eye is when a terminal has scrolled. */
function closingLine(fd: string, answer: FdMatches, screen: Screen): string {
  const { total, invert, pattern } = answer;
  const isOne = total === 1;
  const match = invert === true ? `${isOne ? "does" : "do"} not match` : isOne ? "matches" : "match";
  return facts([
    screen.ink.handle(fd),
    `${linesText(total)} ${match} ${plainText(pattern)}`,
    ...missingFacts(answer, screen),
    endText(answer, screen),
    cleanedFact(answer.cleaned),
  ]);
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
