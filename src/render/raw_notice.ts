/**
 * The line that `--format raw`, which prints only content, adds on stderr if that content is cut or incomplete
 * (contract, law 7).
 */

import type { FdContent, FramedAnswer, Missing } from "../terms/answers.ts";
import { plainText } from "../terms/control_chars.ts";
import { missingSentences } from "../answering/missing_remark.ts";
import type { CallWriter, Message, NextCall } from "../terms/next_call.ts";
import { messageText } from "../answering/next_command.ts";

/** The line with its line end; empty if raw shows the whole answer. */
export function rawNotice(answer: FramedAnswer, writeCall: CallWriter): string {
  const { message, next } = noticeOf(answer);
  if (message === undefined) return "";
  const call = next && writeCall(next);
  const goOn = call === undefined ? "" : ` Next: ${call}`;
  return `fdtool: ${plainText(messageText(message, writeCall) + goOn)}\n`;
}

interface Notice {
  message?: Message | undefined;
  next?: NextCall | undefined;
}

const NOTHING: Notice = {};

function noticeOf(answer: FramedAnswer): Notice {
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
      if (answer.counted === true) return missingNotice({ ...answer, fd: answer.fd });
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

function missingNotice(answer: Missing & { fd: string }): Notice {
  return lacksAny(answer) ? { message: missingSentences(answer.fd, answer).join(" ") } : NOTHING;
}

/** Only a limit on chars makes a slice shorter than requested; then the notice says how to go on. */
function contentNotice(answer: FdContent): Notice {
  const { fd, state, shown_chars: shownChars, next } = answer;
  const cut = shownChars === undefined ? [] : [`Showing ${shownChars} chars: --max-chars omitted the rest.`];
  const lacks = missingSentences(fd, { ...answer, state: state === "sealed" ? undefined : state });
  if (cut.length + lacks.length === 0) return NOTHING;
  return {
    message: [...cut, ...lacks].join(" "),
    next: cut.length > 0 || state === "live" ? next : undefined,
  };
}
