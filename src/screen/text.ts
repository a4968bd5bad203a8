/**
 * Answers as people read them at a terminal (contract, Answers): tables, headings in one line, colours, and always the
 * handle and the next command, because agents run on terminals too.
 */

import { utf8Bytes } from "../../fd/system.ts";
import type { FramedAnswer } from "../terms/answers.ts";
import type { ReportOf, ReportType } from "../terms/reports.ts";
import { contentText, diffText, queryText, resultText } from "./content_text.ts";
import { extractionText, fileResultText, lineCountText, statText } from "./fd_text.ts";
import { fdListText, inquiryListText, refListText, writeLogText } from "./list_text.ts";
import { matchesText } from "./match_text.ts";
import { reportText } from "./report_text.ts";
import { facts, type Screen } from "./screen.ts";
import {
  interruptedText,
  needsInputText,
  planCheckText,
  planShownText,
  recoverText,
  refNoticeText,
  writeResultText,
} from "./write_text.ts";
import { counted, groupedDigits } from "../answering/grouped_digits.ts";
import { messageText } from "../answering/next_command.ts";
import { sizeText } from "../answering/size_text.ts";
import { plainText } from "../terms/control_chars.ts";
import { endText, missingFacts, ranText } from "./fd_facts.ts";
import { markOf } from "./framed_body.ts";

type OwnType = Exclude<FramedAnswer["type"], ReportType> | "fd_closed";

/** The answers that are no plain reports: each type has its text. */
const TEXTS: {
  readonly [Type in OwnType]: (
    answer: Extract<FramedAnswer, { type: Type }>,
    screen: Screen,
  ) => string | Iterable<Uint8Array>;
} = {
  fd_closed: closingText,
  fd_content: contentText,
  fd_diff: diffText,
  fd_extraction: extractionText,
  fd_file_result: fileResultText,
  fd_list: fdListText,
  fd_matches: matchesText,
  fd_path: ({ path }) => `${path}\n`,
  fd_query: queryText,
  fd_result: resultText,
  fd_stat: statText,
  inquiry_list: inquiryListText,
  line_count: lineCountText,
  needs_input: needsInputText,
  plan_check: planCheckText,
  plan_shown: planShownText,
  recover_report: recoverText,
  ref_list: refListText,
  ref_notice: refNoticeText,
  write_log: writeLogText,
  write_notice: interruptedText,
  write_result: writeResultText,
};

/** The answer as UTF-8. Large content is walked and never loaded. */
export function textOf(answer: FramedAnswer, screen: Screen): Iterable<Uint8Array> {
  // The table's entry takes the answers of its own type.
  const text = hasOwnText(answer) ? TEXTS[answer.type](answer as never, screen) : reportText(answer, screen);
  return typeof text === "string" ? [utf8Bytes(text)] : text;
}

function hasOwnText(answer: FramedAnswer): answer is Extract<FramedAnswer, { type: OwnType }> {
  return Object.hasOwn(TEXTS, answer.type);
}

function closingText(closing: ReportOf<"fd_closed">, screen: Screen): string {
  const { ink, writeCall } = screen;
  const { facts: closed } = closing;
  const { fd, lines, bytes } = closed;
  const call = closing.next && writeCall(closing.next);
  return `${markOf(closed.marked === true, screen)}${
    facts([
      fd === undefined ? undefined : ink.handle(fd),
      closed.stream,
      bytes === 0 ? "no output" : counted(lines, "line", groupedDigits),
      bytes === 0 ? undefined : sizeText(bytes),
      endText(closed, screen),
      ranText(closed.duration_ms),
      ...missingFacts(closed, screen),
      closed.shared === false ? ink.bad("not shared yet") : undefined,
      plainText(messageText(closing.message, writeCall)),
      call === undefined ? undefined : ink.next(plainText(call)),
    ])
  }\n`;
}
