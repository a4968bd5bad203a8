/**
 * Checks a plan's operations without their files: the fields that each type takes, and the new text.
 */

import { FdError, type FdFailure } from "../../fd/mod.ts";
import type { PlanOperation } from "../requests/plan_request.ts";
import { type PlanProblem, WriteError } from "../terms/write_failure.ts";
import type { WriteFault } from "../terms/write_faults.ts";
import { convertLineEnds } from "./checks/line_ends.ts";
import { gatherBytes } from "./commit/gather_bytes.ts";
import { type Eol, type GivenContent, handleSlice, textSource } from "./commit/given_content.ts";
import type { WriteContext } from "./commit/write_context.ts";
import type { FormedPlan } from "./read_plan.ts";

const MARKERS = ["location_marker", "start_marker", "end_marker", "find"] as const;
export type MarkerField = typeof MARKERS[number];

/** An operation without its file. */
export interface OperationForm {
  operation: PlanOperation;
  eol: Eol;
  context: WriteContext;
  report(field: string, problem: PlanProblem["problem"]): undefined;
}

export interface NewText extends Pick<GivenContent, "remark"> {
  bytes: Uint8Array;
}

/** The problems of operations whose file cannot be read. */
export function checkOperations(plan: FormedPlan, context: WriteContext): PlanProblem[] {
  const problems: PlanProblem[] = [];
  for (const [index, operation] of plan.operations.entries()) {
    if (operation === undefined) continue;
    const form: OperationForm = {
      operation,
      eol: plan.eol,
      context,
      report: (field, problem) => {
        problems.push({ at: `${plan.at}operations[${index}].${field}`, problem });
        return undefined;
      },
    };
    checkFields(form);
    newText(form);
  }
  return problems;
}

/** Converts the line ends of the markers, so that text copied with others is found. */
export function withLineEndsOf(operation: PlanOperation, eol: Eol): PlanOperation {
  if (eol === "keep" || operation.marker_type === "regex") return operation;
  const converted = { ...operation };
  for (const field of MARKERS) {
    const marker = operation[field];
    if (marker !== undefined) converted[field] = marker.replace(/\r?\n/g, eol === "crlf" ? "\r\n" : "\n");
  }
  return converted;
}

export type OperationType = PlanOperation["type"];

/** The fields of each type, besides those of its content. */
const FIELDS: Readonly<Record<OperationType, readonly (keyof PlanOperation)[]>> = {
  create: [],
  // Models write a marker for the end of the file: it is accepted and ignored.
  append: ["location_marker"],
  overwrite: [],
  insert: ["location_marker", "position", "marker_type"],
  replace: ["start_marker", "end_marker", "find", "marker_type"],
  replace_all: ["find", "marker_type"],
};
const CONTENT_FIELDS: readonly (keyof PlanOperation)[] = [
  "type",
  "content_block",
  "content_fd",
  "lines",
  "pages",
  "chars",
];

export function checkFields({ operation, report }: OperationForm): void {
  const known = [...CONTENT_FIELDS, ...FIELDS[operation.type]];
  for (const [field, value] of Object.entries(operation)) {
    if (value !== undefined && !known.includes(field as keyof PlanOperation)) {
      report(field, `not allowed for ${operation.type}`);
    }
  }
  for (const field of neededMarkers(operation)) {
    if (operation[field] === undefined || operation[field] === "") {
      report(field, `required for ${operation.type}`);
    }
  }
  if (operation.type === "replace" && (operation.find === undefined) === !hasBlockMarker(operation)) {
    report("find", "expected either find, or start_marker with end_marker");
  }
}

function neededMarkers(operation: PlanOperation): readonly MarkerField[] {
  if (operation.type === "insert") return ["location_marker"];
  if (operation.type === "replace_all") return ["find"];
  if (operation.type !== "replace") return [];
  if (operation.find !== undefined) return ["find"];
  return hasBlockMarker(operation) ? ["start_marker", "end_marker"] : [];
}

export function hasBlockMarker({ start_marker: start, end_marker: end }: PlanOperation): boolean {
  return start !== undefined || end !== undefined;
}

/** The operation's new text. Returns undefined, with a problem, if there is none. */
export function newText({ operation, eol, context, report }: OperationForm): NewText | undefined {
  const { content_block: block, content_fd: handle, lines, pages, chars } = operation;
  if ((block === undefined) === (handle === undefined)) {
    const got = block === undefined ? "got neither" : "got both";
    return report("content_block", `expected exactly one of content_block and content_fd; ${got}`);
  }
  try {
    const given: GivenContent = block !== undefined
      ? textSource(block, "content_block")
      : handleSlice(context.store, handle!, { lines, pages, chars }).content;
    const bytes = gatherBytes(given.chunks());
    return { bytes: eol === "keep" ? bytes : convertLineEnds(bytes, eol), remark: given.remark };
  } catch (thrown) {
    return report(block === undefined ? "content_fd" : "content_block", failureIn(thrown));
  }
}

function failureIn(thrown: unknown): FdFailure | WriteFault {
  if (thrown instanceof FdError) return thrown.failure;
  if (thrown instanceof WriteError && thrown.failure.kind === "write_error") return thrown.failure;
  throw thrown;
}
