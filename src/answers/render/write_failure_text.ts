/**
 * The sentences of refused writes (contract, Writing files). Failed checks of a file share one message; `faults` lists
 * them.
 */

import { counted } from "../parts/grouped_digits.ts";
import type { FdFailure } from "../../../fd/system.ts";
import { listFew } from "../parts/first_few.ts";
import { shellLine } from "../parts/next_command.ts";
import type { PlanProblem, WriteFailure } from "../../calls/terms/write_failure.ts";
import { faultText, isWriteFault, MAX_NAMED, type WriteFault } from "../../calls/terms/write_faults.ts";
import type { NextCall, ParameterWriter } from "../../calls/terms/next_call.ts";
import { type FailureText, type FailureTexts, textBy } from "../../calls/terms/failure_words.ts";

/** `describeOther` describes failures that are not specific to writes. */
interface Words {
  describeOther: (failure: FdFailure) => FailureText;
  writeParameter: ParameterWriter;
}

/** The text of `failure`. */
export function writeFailureText(failure: WriteFailure, words: Words): FailureText {
  return isOwn(failure) ? textBy(WRITE_TEXTS, failure, words) : faultText(failure, words.writeParameter);
}

type OwnFailure = Exclude<WriteFailure, WriteFault>;

function isOwn(failure: WriteFailure): failure is OwnFailure {
  return Object.hasOwn(WRITE_TEXTS, failure.kind);
}

const WRITE_TEXTS: FailureTexts<OwnFailure, Words> = {
  several({ path, faults, more = 0 }, { writeParameter }) {
    const reported = faults.map((fault) => faultText(fault, writeParameter));
    if (reported.length === 1) return { ...reported[0]!, path };
    const sentences = [...reported.map(({ message }) => message), ...moreOf(more, "like these")].join("; ");
    return {
      type: reported[0]!.type,
      path,
      message: `${reported.length + more} checks failed, nothing was written: ${sentences}`,
      detail: reported.flatMap(({ detail = [] }) => detail),
      next: reported.find(({ next }) => next !== undefined)?.next,
      fields: {
        faults: reported.map(({ type, message, fields }) => ({ error: type, message, ...fields })),
        more_faults: more === 0 ? undefined : more,
      },
    };
  },
  invalid_answer({ inquiry, faults }) {
    const isOpen = inquiry.startsWith("inq:");
    const problems = faults.map(({ at, problem }) => `${at} ${problem}`).join("; ");
    const message = `Invalid answer to ${inquiry}: ${problems}.${
      isOpen ? " The question is still open." : ""
    }`;
    const next: NextCall | undefined = isOpen
      ? { command: "answer", args: { inquiry_id: inquiry } }
      : undefined;
    return { message, next, fields: { inquiry_id: inquiry, faults } };
  },
  plan_invalid({ problems: found, more = 0, wholeFd }, words) {
    const problems = found.map((problem) => problemText(problem, words));
    const count = counted(problems.length + more, "problem");
    const sentences = [
      ...problems.map(({ at, message }) => `${at}: ${message}`),
      ...moreOf(more, `in ${wholeFd}, which has all`),
    ].join("; ");
    const isMalformed = found.some(({ problem }) => typeof problem === "string");
    const help: NextCall | undefined = isMalformed
      ? { command: "help", args: { command: "plan" } }
      : found.map(({ problem }) =>
        typeof problem === "string" ? undefined : problemWords(problem, words).next
      )
        .find((next) => next !== undefined);
    return {
      message: `The plan has ${count}, nothing was written: ${sentences}`,
      next: wholeFd === undefined ? help : { command: "read", args: { fd: wholeFd } },
      fields: { problems, more_problems: more === 0 ? undefined : more, problems_fd: wholeFd },
    };
  },
  not_found({ family, handle, highest, path }) {
    const reason = highest === 0
      ? `no ${family === "tx" ? "step" : "question"} exists yet`
      : `the newest is ${family}:${highest}`;
    const next: NextCall = { command: family === "tx" ? "log" : "inquiries", args: {} };
    const message = path === undefined
      ? `${handle} not found: ${reason}`
      : `Nothing was undone: ${highest === 0 ? reason : `no write to ${path} is in effect in the journal`}`;
    return { message, next, fields: { handle, highest } };
  },
  step_elsewhere({ handle, paths, isPartlyHere, here, isConfined }) {
    const named = listFew(paths, MAX_NAMED);
    const found = isPartlyHere
      ? `${handle}, the newest step in ${here}, also changed ${named}`
      : `no step changed only files in ${here}; the newest, ${handle}, changed ${named}`;
    const next: NextCall = isConfined
      ? { command: "log", args: {} }
      : { command: "undo", args: { tx: handle } };
    const fields = { handle, here, paths: paths.slice(0, MAX_NAMED) };
    return { type: "not_found", message: `Nothing was undone: ${found}`, next, fields };
  },
  still_needed({ fd, handle, what, isOpen }) {
    const use = { backup: "as its backup for undo", plan: "as its plan", request: "to be answered" }[what];
    const message = isOpen
      ? `Cannot remove ${fd}: it is the backup of ${handle}, which is still in progress`
      : `Cannot remove ${fd}: ${handle} needs it ${use}. Use --force to remove it anyway`;
    const next: NextCall = isOpen
      ? { command: "recover", args: {} }
      : handle.startsWith("inq:")
      ? { command: "inquiries", args: {} }
      : { command: "log", args: { tx: handle } };
    return { type: "permission_error", fd, message, next, fields: { needed_by: handle } };
  },
  incomplete_content({ handle, fd, byteCount, droppedBytes }) {
    const size = droppedBytes === undefined
      ? `only ${byteCount} bytes`
      : `${byteCount} of ${byteCount + droppedBytes} bytes`;
    const message = `The stored content for ${handle} is incomplete: ${fd} has ${size}. Nothing was written.`;
    const next: NextCall = handle.startsWith("inq:")
      ? { command: "cancel", args: { inquiry_id: handle } }
      : { command: "stat", args: { fd } };
    const fields = { handle, bytes: byteCount, dropped_bytes: droppedBytes };
    return { type: "truncated_payload", fd, message, next, fields };
  },
  read_only({ path, mode }) {
    const bits = mode.toString(8).padStart(3, "0");
    const message =
      `Cannot change ${path}: it is read-only (mode ${bits}). Nothing was written. If you may change it, run ` +
      `${shellLine(["chmod", "u+w", path])} first`;
    return { type: "permission_error", path, message, fields: { mode: bits } };
  },
  closed({ action, handle, how, next }) {
    const isInquiry = handle.startsWith("inq:");
    return {
      type: isInquiry ? "invalid_answer" : "stale_file",
      message: `Cannot ${action} ${handle}: it is ${how}`,
      next: next ?? { command: isInquiry ? "inquiries" : "log", args: {} },
      fields: { handle, state: how },
    };
  },
};

/** "and 4 more like these"; empty for none. */
function moreOf(more: number, how: string): string[] {
  return more === 0 ? [] : [`and ${more} more ${how}`];
}

function problemText({ at, problem }: PlanProblem, words: Words) {
  if (typeof problem === "string") return { at, error: "invalid_parameter", message: problem };
  const { type, message, fields } = problemWords(problem, words);
  return { at, error: type, message, ...fields };
}

function problemWords(
  problem: WriteFault | FdFailure,
  { describeOther, writeParameter }: Words,
): FailureText {
  return isWriteFault(problem) ? faultText(problem, writeParameter) : describeOther(problem);
}
