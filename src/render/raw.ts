/**
 * Answers as content only (contract, Answers): a slice is its exact bytes. An answer without content is its essential
 * value: a handle, path or sum. Lists are one item a line, with tabs between fields.
 */

import { Buffer } from "node:buffer";
import type { FdQuery, FramedAnswer } from "../terms/answers.ts";
import { jsonEscape, plainLines, plainText, STEERING_CHARS } from "../terms/control_chars.ts";
import type { CallWriter } from "../terms/next_call.ts";
import { messageText } from "../answering/next_command.ts";
import { matchPieces } from "./match_lines.ts";

export function* rawOf(answer: FramedAnswer, writeCall: CallWriter): Iterable<Uint8Array> {
  if (answer.type === "fd_content") yield* (answer.stored ?? answer.content).chunks();
  else if (answer.type === "fd_diff") yield* answer.whole?.chunks() ?? [];
  else if (answer.type === "fd_query") yield* queryBytes(answer);
  else if ((answer.type === "write_result" || answer.type === "write_log") && answer.diff !== undefined) {
    yield* answer.diff.chunks();
  } else if (answer.type === "fd_matches" && answer.matches.length > 0) {
    for (const piece of matchPieces(answer, true)) {
      yield typeof piece === "string" ? Buffer.from(piece) : piece.bytes ?? Buffer.from(piece.text);
    }
  } else yield Buffer.from(rawText(answer, writeCall));
}

/** The values, or the handle of the fd that has them all. */
function* queryBytes({ values, new_fd: newFd }: FdQuery): Iterable<Uint8Array> {
  if (newFd !== undefined) yield Buffer.from(`${newFd}\n`);
  else yield* values?.chunks() ?? [];
}

function rawText(
  answer: Exclude<FramedAnswer, { type: "fd_content" | "fd_diff" | "fd_query" }>,
  writeCall: CallWriter,
): string {
  switch (answer.type) {
    case "fd_result":
      return `${answer.fd}\n`;
    case "fd_extraction":
      return `${answer.new_fd}\n`;
    case "fd_file_result":
      return `${answer.file_path}\n`;
    case "fd_list":
      return answer.fds.map(({ fd }) => `${fd}\n`).join("");
    case "ref_list":
      return answer.refs.map(({ id, fd }) => `${id}\t${fd}\n`).join("");
    case "fd_matches":
      return answer.counted === true ? `${answer.total}\n` : "";
    case "fd_stat":
      return fieldLines(answer);
    case "fd_path":
      return `${answer.path}\n`;
    case "line_count":
      return `${answer.lines}\n`;
    case "needs_input":
      return `${answer.inquiry_id}\n`;
    case "inquiry_list":
      return answer.inquiries.map(({ inquiry_id, path }) => `${inquiry_id}\t${fieldText(path)}\n`).join("");
    case "write_log":
      return answer.steps.map(({ tx, state, paths, more_paths }) => {
        const more = more_paths === undefined ? "" : `\t(${more_paths} more)`;
        return `${tx}\t${state}\t${paths.map(fieldText).join("\t")}${more}\n`;
      }).join("");
    case "plan_shown":
      return `${JSON.stringify(answer.whole, null, 2)}\n`;
    case "write_notice":
      return `${plainLines(messageText(answer.message, writeCall))} Next: ${
        plainLines(writeCall(answer.next) ?? "")
      }\n`;
    case "doctor_report":
      return itemLines(answer.facts.finding);
    case "ui_server":
      return `${answer.facts.url}\n`;
    default:
      return `${plainLines(messageText(answer.message, writeCall))}\n`;
  }
}

function itemLines(list: readonly object[]): string {
  const lineOf = (item: object) => Object.values(item).map((field) => plainText(String(field))).join("\t");
  return list.map((item) => `${lineOf(item)}\n`).join("");
}

function fieldLines(fields: object): string {
  let lines = "";
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || name === "type") continue;
    lines += `${name}\t${typeof value === "string" ? fieldText(value) : jsonText(value)}\n`;
  }
  return lines;
}

/** A field, quoted as in JSON if it has a control char, so that it stays on its line. */
function fieldText(field: string): string {
  return plainText(field) === field ? field : jsonText(field);
}

/** JSON without control chars. */
function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(new RegExp(`[${STEERING_CHARS}]`, "g"), jsonEscape);
}
