/**
 * Answers as content only (contract, Answers): a slice is its exact bytes. An answer without content is its essential
 * value: a handle, path or sum. Lists are one item a line, with tabs between fields.
 */

import { Buffer } from "node:buffer";
import type { FdContent, FramedAnswer, Missing } from "../../calls/terms/answers.ts";
import { jsonEscape, plainLines, plainText, STEERING_CHARS } from "../../calls/terms/control_chars.ts";
import type { CallWriter, Remarks } from "../../calls/terms/next_call.ts";
import { messageText } from "../parts/next_command.ts";
import { matchPieces } from "./match_lines.ts";
import { missingSentences } from "../parts/missing_remark.ts";

export function* rawOf(answer: FramedAnswer, writeCall: CallWriter): Iterable<Uint8Array> {
  if (answer.type === "fd_content") yield* (answer.stored ?? answer.content).chunks();
  else if (answer.type === "fd_diff") yield* answer.whole?.chunks() ?? [];
  // The handle of the fd that has all values, or the values.
  else if (answer.type === "fd_query" && answer.new_fd === undefined) yield* answer.values?.chunks() ?? [];
  else if ((answer.type === "write_result" || answer.type === "write_log") && answer.diff !== undefined) {
    yield* answer.diff.chunks();
  } else if (answer.type === "fd_matches" && answer.matches.length > 0) {
    for (const piece of matchPieces(answer, undefined, true)) {
      yield typeof piece === "string" ? Buffer.from(piece) : piece.bytes ?? Buffer.from(piece.text);
    }
  } else yield Buffer.from(essentialText(answer, writeCall));
}

/** The essential values of answers, by type. */
type Essentials = {
  readonly [Type in FramedAnswer["type"]]?: (
    answer: Extract<FramedAnswer, { type: Type }>,
    writeCall: CallWriter,
  ) => string;
};

const ESSENTIALS = {
  fd_result: ({ fd }) => `${fd}\n`,
  fd_extraction: ({ new_fd: fd }) => `${fd}\n`,
  fd_query: ({ new_fd: fd }) => `${fd}\n`,
  fd_file_result: ({ file_path: path }) => `${path}\n`,
  fd_list: ({ fds }) => fds.map(({ fd }) => `${fd}\n`).join(""),
  ref_list: ({ refs }) => refs.map(({ id, fd }) => `${id}\t${fd}\n`).join(""),
  fd_matches: ({ counted, total }) => counted === true ? `${total}\n` : "",
  fd_stat: fieldLines,
  fd_path: ({ path }) => `${path}\n`,
  line_count: ({ lines }) => `${lines}\n`,
  needs_input: ({ inquiry_id: id }) => `${id}\n`,
  inquiry_list: ({ inquiries }) =>
    inquiries.map(({ inquiry_id: id, path }) => `${id}\t${fieldText(path)}\n`).join(""),
  write_log: ({ steps }) =>
    steps.map(({ tx, state, paths, more_paths }) => {
      const more = more_paths === undefined ? "" : `\t(${more_paths} more)`;
      return `${tx}\t${state}\t${paths.map(fieldText).join("\t")}${more}\n`;
    }).join(""),
  plan_shown: ({ whole }) => `${JSON.stringify(whole, null, 2)}\n`,
  write_notice: ({ message, next }, writeCall) =>
    `${plainLines(messageText(message, writeCall))} Next: ${plainLines(writeCall(next) ?? "")}\n`,
  doctor_report: ({ facts }) => itemLines(facts.finding),
  ui_server: ({ facts }) => `${facts.url}\n`,
} as const satisfies Essentials;

function essentialText(answer: FramedAnswer, writeCall: CallWriter): string {
  if (saysAll(answer)) return `${plainLines(messageText(answer.message, writeCall))}\n`;
  const essential: Essentials[keyof Essentials] = ESSENTIALS[answer.type as keyof typeof ESSENTIALS];
  return essential!(answer as never, writeCall);
}

/** Whether the message of an answer is what matters. */
function saysAll(
  answer: FramedAnswer,
): answer is Exclude<FramedAnswer, { type: keyof typeof ESSENTIALS | "fd_content" | "fd_diff" }> {
  return !Object.hasOwn(ESSENTIALS, answer.type);
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

/**
 * The line that `--format raw`, which prints only content, adds on stderr if that content is cut or incomplete (contract,
 * law 7), with its line end; empty if raw shows the whole answer.
 */
export function rawNotice(answer: FramedAnswer, writeCall: CallWriter): string {
  const { message, next } = noticeOf(answer);
  if (message === undefined) return "";
  const call = next && writeCall(next);
  const goOn = call === undefined ? "" : ` Next: ${call}`;
  return `fdtool: ${plainText(messageText(message, writeCall) + goOn)}\n`;
}

const NOTHING: Remarks = {};

function noticeOf(answer: FramedAnswer): Remarks {
  switch (answer.type) {
    case "fd_content":
      return contentNotice(answer);
    case "fd_list":
    case "ref_list":
    case "inquiry_list":
    case "line_count":
      return answer;
    case "write_log":
      return answer.total === 0 ? NOTHING : answer;
    case "fd_matches":
      if (answer.fd === undefined) return answer;
      if (answer.counted === true) {
        return lacksAny(answer) ? { message: missingSentences(answer.fd, answer).join(" ") } : NOTHING;
      }
      return answer.total === 0 && !lacksAny(answer) ? NOTHING : answer;
    case "fd_extraction":
      return answer.capped === true ? answer : lacksAny(answer) ? { message: answer.message } : NOTHING;
    case "fd_file_result":
      return lacksAny(answer) ? { message: answer.message } : NOTHING;
    case "fd_result":
      return answer.state !== "live" && lacksAny(answer) ? answer : NOTHING;
    case "fd_diff":
      if (answer.cut === true) {
        return { message: "The diff could not be stored; only its beginning is shown." };
      }
      return answer.diff_fd === undefined ? NOTHING : { message: `The diff is stored as ${answer.diff_fd}.` };
    case "fd_query":
      return answer.error === undefined && answer.truncated === undefined && !lacksAny(answer)
        ? NOTHING
        : answer;
    case "write_result":
      return answer.diff_fd === undefined ? NOTHING : answer;
    default:
      return NOTHING;
  }
}

function lacksAny({ state, dropped_bytes }: Missing): boolean {
  return (state ?? dropped_bytes) !== undefined;
}

/** Only a limit on chars makes a slice shorter than requested; then the notice says how to go on. */
function contentNotice(answer: FdContent): Remarks {
  const { fd, state, shown_chars: shownChars, next } = answer;
  const cut = shownChars === undefined ? [] : [`Showing ${shownChars} chars: --max-chars omitted the rest.`];
  const lacks = missingSentences(fd, { ...answer, state: state === "sealed" ? undefined : state });
  if (cut.length + lacks.length === 0) return NOTHING;
  return {
    message: [...cut, ...lacks].join(" "),
    next: cut.length > 0 || state === "live" ? next : undefined,
  };
}
