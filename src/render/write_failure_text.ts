/**
 * The sentences of refused writes (contract, Writing files). Failed checks of a file share one message; `faults` lists
 * them.
 */

import type { FdFailure } from "../../fd/system.ts";
import { listFew } from "../answering/first_few.ts";
import { shellLine } from "../answering/next_command.ts";
import type { PlanProblem, WriteFailure } from "../terms/write_failure.ts";
import { faultText, isWriteFault, MAX_NAMED } from "../terms/write_faults.ts";
import type { ParameterWriter } from "../terms/next_call.ts";
import type { FailureText } from "../terms/failure_words.ts";

/** The text of `failure`. `describeOther` describes failures that are not specific to writes. */
export function writeFailureText(
  failure: WriteFailure,
  describeOther: (failure: FdFailure) => FailureText,
  writeParameter: ParameterWriter,
): FailureText {
  switch (failure.kind) {
    case "several": {
      const { faults, more = 0 } = failure;
      const reported = faults.map((fault) => faultText(fault, writeParameter));
      if (reported.length === 1) return { ...reported[0]!, path: failure.path };
      const message = `${reported.length + more} checks failed, nothing was written: ${
        [...reported.map((each) => each.message), ...moreOf(more, "like these")].join("; ")
      }`;
      const next = reported.find((each) => each.next !== undefined)?.next;
      return {
        type: reported[0]!.type,
        path: failure.path,
        message,
        next,
        fields: {
          faults: reported.map(({ type, message, fields }) => ({ error: type, message, ...fields })),
          more_faults: more === 0 ? undefined : more,
        },
      };
    }
    case "invalid_answer": {
      const { inquiry, faults } = failure;
      const open = inquiry.startsWith("inq:") ? " The question is still open." : "";
      return {
        type: "invalid_answer",
        message: `Invalid answer to ${inquiry}: ${
          faults.map(({ at, problem }) => `${at} ${problem}`).join("; ")
        }.${open}`,
        next: inquiry.startsWith("inq:") ? { command: "answer", args: { inquiry_id: inquiry } } : undefined,
        fields: { inquiry_id: inquiry, faults },
      };
    }
    case "plan_invalid": {
      const { more = 0, wholeFd } = failure;
      const problems = failure.problems.map((problem) => problemText(problem, describeOther, writeParameter));
      const total = problems.length + more;
      const count = total === 1 ? "1 problem" : `${total} problems`;
      return {
        type: "plan_invalid",
        message: `The plan has ${count}, nothing was written: ${
          [
            ...problems.map(({ at, message }) => `${at}: ${message}`),
            ...moreOf(more, `in ${wholeFd}, which has all`),
          ].join("; ")
        }`,
        next: wholeFd === undefined ? undefined : { command: "read", args: { fd: wholeFd } },
        fields: { problems, more_problems: more === 0 ? undefined : more, problems_fd: wholeFd },
      };
    }
    case "not_found": {
      const { family, handle, highest } = failure;
      const reason = highest === 0
        ? `no ${family === "tx" ? "step" : "question"} exists yet`
        : `the newest is ${family}:${highest}`;
      return {
        type: "not_found",
        message: `${handle} not found: ${reason}`,
        next: { command: family === "tx" ? "log" : "inquiries", args: {} },
        fields: { handle, highest },
      };
    }
    case "step_elsewhere": {
      const { handle, paths, isPartlyHere, here, isConfined } = failure;
      const named = listFew(paths, MAX_NAMED);
      const found = isPartlyHere
        ? `${handle}, the newest step in ${here}, also changed ${named}`
        : `no step changed only files in ${here}; the newest, ${handle}, changed ${named}`;
      return {
        type: "not_found",
        message: `Nothing was undone: ${found}`,
        next: isConfined ? { command: "log", args: {} } : { command: "undo", args: { tx: handle } },
        fields: { handle, here, paths: paths.slice(0, MAX_NAMED) },
      };
    }
    case "still_needed": {
      const { fd, handle, what, isOpen } = failure;
      const reason = {
        backup: `${handle} needs it as its backup for undo`,
        plan: `${handle} needs it as its plan`,
        request: `${handle} needs it to be answered`,
      }[what];
      return {
        type: "permission_error",
        fd,
        message: isOpen
          ? `Cannot remove ${fd}: it is the backup of ${handle}, which is still in progress`
          : `Cannot remove ${fd}: ${reason}. Use --force to remove it anyway`,
        next: isOpen
          ? { command: "recover", args: {} }
          : handle.startsWith("inq:")
          ? { command: "inquiries", args: {} }
          : { command: "log", args: { tx: handle } },
        fields: { needed_by: handle },
      };
    }
    case "incomplete_content": {
      const { handle, fd, byteCount, droppedBytes } = failure;
      const size = droppedBytes === undefined
        ? `only ${byteCount} bytes`
        : `${byteCount} of ${byteCount + droppedBytes} bytes`;
      return {
        type: "truncated_payload",
        fd,
        message: `The stored content for ${handle} is incomplete: ${fd} has ${size}. Nothing was written.`,
        next: handle.startsWith("inq:")
          ? { command: "cancel", args: { inquiry_id: handle } }
          : { command: "stat", args: { fd } },
        fields: { handle, bytes: byteCount, dropped_bytes: droppedBytes },
      };
    }
    case "read_only": {
      const { path, mode } = failure;
      const bits = mode.toString(8).padStart(3, "0");
      return {
        type: "permission_error",
        path,
        message:
          `Cannot change ${path}: it is read-only (mode ${bits}). Nothing was written. If you may change it, run ` +
          `${shellLine(["chmod", "u+w", path])} first`,
        fields: { mode: bits },
      };
    }
    case "closed": {
      const { action, handle, how, next } = failure;
      const isInquiry = handle.startsWith("inq:");
      return {
        type: isInquiry ? "invalid_answer" : "stale_file",
        message: `Cannot ${action} ${handle}: it is ${how}`,
        next: next ?? { command: isInquiry ? "inquiries" : "log", args: {} },
        fields: { handle, state: how },
      };
    }
    default:
      return faultText(failure, writeParameter);
  }
}

/** "and 4 more like these"; empty for none. */
function moreOf(more: number, how: string): string[] {
  return more === 0 ? [] : [`and ${more} more ${how}`];
}

interface ReportedProblem {
  at: string;
  error: string;
  message: string;
}

function problemText(
  { at, problem }: PlanProblem,
  describeOther: (failure: FdFailure) => FailureText,
  writeParameter: ParameterWriter,
): ReportedProblem {
  if (typeof problem === "string") return { at, error: "invalid_parameter", message: problem };
  const { type, message, fields } = isWriteFault(problem)
    ? faultText(problem, writeParameter)
    : describeOther(problem);
  return { at, error: type, message, ...fields };
}
