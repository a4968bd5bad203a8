/**
 * The sentences of refused writes (contract, Writing files, Inquiries and Write plans). Several failed checks share one
 * message; `faults` lists them one by one.
 *
 * @module
 */

import type { FdFailure } from "../../fd/mod.ts";
import { listFew } from "../answering/first_few.ts";
import { ACKNOWLEDGEMENT } from "../requests/rewrite_request.ts";
import type { NearLine, PlanProblem, ShownLine, WriteFailure, WriteFault } from "../terms/write_failure.ts";
import type { ParameterWriter } from "../terms/next_call.ts";
import type { FailureText } from "./failure_words.ts";

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
      const named = listFew(paths, MOST_NAMED);
      const found = isPartlyHere
        ? `${handle}, the newest step in ${here}, also changed ${named}`
        : `no step changed only files in ${here}; the newest, ${handle}, changed ${named}`;
      return {
        type: "not_found",
        message: `Nothing was undone: ${found}`,
        next: isConfined ? { command: "log", args: {} } : { command: "undo", args: { tx: handle } },
        fields: { handle, here, paths: paths.slice(0, MOST_NAMED) },
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
    case "kept_in_part": {
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

function faultText(fault: WriteFault, writeParameter: ParameterWriter): FailureText {
  switch (fault.kind) {
    case "line_count_mismatch": {
      const { actual, expected } = fault;
      return {
        type: fault.kind,
        message: `Content line count (${actual}) does not match expectedLineCount (${
          expected ?? "none given"
        })`,
        fields: { actual, expected },
      };
    }
    case "invalid_acknowledgement":
      return {
        type: fault.kind,
        message: `Invalid acknowledgement string. Must be exactly: "${ACKNOWLEDGEMENT}"`,
        fields: { wanted: ACKNOWLEDGEMENT },
      };
    case "placeholder_found": {
      const { lines } = fault;
      const named = lines.slice(0, MOST_NAMED).map(numberedLine).join(", ");
      const more = lines.length > MOST_NAMED ? `, and ${lines.length - MOST_NAMED} more` : "";
      return {
        type: fault.kind,
        message:
          `The content has placeholder lines instead of real content: ${named}${more}. Provide the whole content, ` +
          "or change only a part with edit. " +
          `Use ${writeParameter({ parameter: "allowPlaceholders", value: true })} to write it as it is`,
        fields: { lines: lines.map(lineFields) },
      };
    }
    case "hash_mismatch": {
      const { actual, expected } = fault;
      return {
        type: fault.kind,
        message: `Content sha-256 (${actual}) does not match the expected ${expected}`,
        fields: { actual, expected },
      };
    }
    case "size_mismatch": {
      const { actualBytes, expectedBytes } = fault;
      return {
        type: fault.kind,
        message: `Content size (${actualBytes} bytes) does not match the expected ${expectedBytes} bytes`,
        fields: { actual: actualBytes, expected: expectedBytes },
      };
    }
    case "structure_invalid": {
      const { language, problems } = fault;
      const reported = problems.map(({ lineNumber, problem }) =>
        lineNumber === undefined ? problem : `line ${lineNumber}: ${problem}`
      );
      return {
        type: fault.kind,
        message: `The content is not valid ${language}: ${reported.join("; ")}`,
        fields: {
          language,
          problems: problems.map(({ lineNumber, problem }) => ({ line: lineNumber, problem })),
        },
      };
    }
    case "stale_file": {
      const { path, expectedSha256, actualSha256, what, diff } = fault;
      const shown = diff === undefined || diff === "" ? "" : `. Undoing would change:\n${diff.trimEnd()}`;
      return {
        type: fault.kind,
        path,
        message: `Cannot write ${path}: ${what}${shown}`,
        fields: { expected_sha256: expectedSha256, actual_sha256: actualSha256, diff },
      };
    }
    case "match_not_found": {
      const { path, edit, sought, after, nearest, otherLineEnds } = fault;
      const place = after === undefined ? path : `${path} after its ${after}`;
      const where = nearest.length === 0 ? "no similar text" : `nearest: ${nearest.map(nearLine).join(", ")}`;
      const eol = (value: string) => writeParameter({ parameter: "eol", value });
      const hint = otherLineEnds
        ? `; use ${eol("crlf")} or ${eol("lf")} to convert it to the file's line ends`
        : "";
      return {
        type: fault.kind,
        path,
        message: `${editName(edit)}${sought} was not found in ${place} (${where})${hint}`,
        fields: {
          edit,
          sought,
          nearest: nearest.map((line) => ({ ...lineFields(line), differs: line.differs })),
        },
      };
    }
    case "match_not_unique": {
      const { path, edit, sought, lines, matchCount } = fault;
      const numbers = lines.map((line) => line.lineNumber).join(", ");
      const more = matchCount > lines.length ? " …" : "";
      return {
        type: fault.kind,
        path,
        message:
          `${editName(edit)}${sought} appears ${matchCount} times in ${path} (lines ${numbers}${more}); ` +
          "include more context to make it unique, or use replace_all",
        fields: { edit, sought, matches: matchCount, lines: lines.map(lineFields) },
      };
    }
    case "file_exists":
      return {
        type: fault.kind,
        path: fault.path,
        message: `Cannot create ${fault.path}: it already exists`,
        fields: {},
      };
    case "file_not_found":
      return {
        type: fault.kind,
        path: fault.path,
        message: `Cannot change ${fault.path}: it does not exist`,
        next: { command: "create", args: { path: fault.path } },
        fields: {},
      };
    case "write_error":
      return {
        type: fault.kind,
        path: fault.path,
        message: `Cannot write ${fault.path}: it is ${fault.what}; expected a regular file`,
        fields: { what: fault.what },
      };
    case "store_file": {
      const { path, fd } = fault;
      const what = fd === undefined ? "a file of the store" : `the content of ${fd}`;
      return {
        type: "permission_error",
        fd,
        path,
        message:
          `Cannot write ${path}: it is ${what}, which must not change. Copy it to another file and change that`,
        next: fd === undefined ? { command: "ls", args: {} } : {
          command: "to-file",
          args: { fd, file_path: `${fd.replace(":", "-")}.txt`, exist_ok: false },
        },
        fields: {},
      };
    }
  }
}

/** "and 4 more like these"; empty for none. */
function moreOf(more: number, how: string): string[] {
  return more === 0 ? [] : [`and ${more} more ${how}`];
}

/** How many lines a sentence names; the fields list all of them. */
const MOST_NAMED = 5;

function numberedLine({ lineNumber, text }: ShownLine): string {
  return `line ${lineNumber} (${text.trim()})`;
}

function nearLine(line: NearLine): string {
  return `${numberedLine(line)} differs in ${line.differs.join(" and ")}`;
}

function lineFields({ lineNumber, text }: ShownLine): { line: number; text: string } {
  return { line: lineNumber, text };
}

function editName(edit: number | undefined): string {
  return edit === undefined ? "" : `Edit ${edit + 1}: `;
}

/** One problem of a plan as the caller reads it. */
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

/** Every kind of fault of a write. */
const WRITE_FAULTS: Readonly<Record<WriteFault["kind"], true>> = {
  line_count_mismatch: true,
  invalid_acknowledgement: true,
  placeholder_found: true,
  hash_mismatch: true,
  size_mismatch: true,
  structure_invalid: true,
  stale_file: true,
  match_not_found: true,
  match_not_unique: true,
  file_not_found: true,
  file_exists: true,
  store_file: true,
  write_error: true,
};

function isWriteFault(problem: WriteFault | FdFailure): problem is WriteFault {
  if (!Object.hasOwn(WRITE_FAULTS, problem.kind)) return false;
  // The disk fails with a write_error too.
  return problem.kind !== "write_error" || "what" in problem;
}
