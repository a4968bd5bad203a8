/**
 * Answers as people read them at a terminal (contract, Answers): tables, headings in one line, colours, and always the
 * handle and the next command, because agents run on terminals too.
 */

import { utf8Bytes } from "../../fd/system.ts";
import type { FramedAnswer } from "../terms/answers.ts";
import type { ReportOf } from "../terms/reports.ts";
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

/** The answer as UTF-8. Large content is walked and never loaded. */
export function textOf(answer: FramedAnswer, screen: Screen): Iterable<Uint8Array> {
  switch (answer.type) {
    case "fd_content":
      return contentText(answer, screen);
    case "fd_result":
      return resultText(answer, screen);
    case "fd_diff":
      return diffText(answer, screen);
    case "fd_query":
      return queryText(answer, screen);
    case "fd_matches":
      return matchesText(answer, screen);
    default:
      return [utf8Bytes(recordText(answer, screen))];
  }
}

type WithContent = "fd_content" | "fd_result" | "fd_diff" | "fd_query" | "fd_matches";

function recordText(answer: Exclude<FramedAnswer, { type: WithContent }>, screen: Screen): string {
  switch (answer.type) {
    case "fd_path":
      return `${answer.path}\n`;
    case "fd_list":
      return fdListText(answer, screen);
    case "fd_closed":
      return closingText(answer, screen);
    case "ref_list":
      return refListText(answer, screen);
    case "write_log":
      return writeLogText(answer, screen);
    case "inquiry_list":
      return inquiryListText(answer, screen);
    case "fd_stat":
      return statText(answer, screen);
    case "fd_extraction":
      return extractionText(answer, screen);
    case "fd_file_result":
      return fileResultText(answer, screen);
    case "line_count":
      return lineCountText(answer, screen);
    case "write_result":
      return writeResultText(answer, screen);
    case "needs_input":
      return needsInputText(answer, screen);
    case "plan_check":
      return planCheckText(answer, screen);
    case "plan_shown":
      return planShownText(answer, screen);
    case "recover_report":
      return recoverText(answer, screen);
    case "write_notice":
      return interruptedText(answer, screen);
    case "ref_notice":
      return refNoticeText(answer, screen);
    case "fd_removed":
    case "fd_gc":
    case "ref_bound":
    case "fd_ended":
    case "fd_verify":
    case "fd_fork":
    case "fd_export":
    case "fd_import":
    case "store_checked":
    case "store_connections":
    case "fd_sync":
    case "store_shown":
    case "doctor_report":
    case "ui_server":
      return reportText(answer, screen);
  }
}

function closingText(closing: ReportOf<"fd_closed">, screen: Screen): string {
  const { ink, writeCall } = screen;
  const {
    fd,
    stream,
    lines,
    bytes,
    exit_code,
    signal,
    duration_ms,
    state,
    dropped_bytes,
    gap_at_byte,
    shared,
    marked,
  } = closing.facts;
  const call = closing.next && writeCall(closing.next);
  return `${markOf(marked === true, screen)}${
    facts([
      fd === undefined ? undefined : ink.handle(fd),
      stream,
      bytes === 0 ? "no output" : counted(lines ?? 0, "line", groupedDigits),
      bytes === 0 ? undefined : sizeText(bytes ?? 0),
      endText({ exit_code, signal }, screen),
      ranText(duration_ms),
      ...missingFacts({ state, dropped_bytes, gap_at_byte }, screen),
      shared === false ? ink.bad("not shared yet") : undefined,
      plainText(messageText(closing.message, writeCall)),
      call === undefined ? undefined : ink.next(plainText(call)),
    ])
  }\n`;
}
