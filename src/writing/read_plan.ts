/**
 * Checks the form of a plan field by field, and its operations without their files: the fields that each type takes,
 * and the new text. All problems are reported together, and valid parts are still checked against the files
 * (contract, Write plans).
 */

import { gatherBytes } from "../../fd/mod.ts";
import {
  FILE_PLAN_FIELDS,
  OPERATION_FIELDS,
  PLAN_REQUEST,
  type PlanOperation,
} from "../calls/requests/plan_request.ts";
import { objectFaults } from "../calls/requests/request_schema.ts";
import { isJsonObject, type JsonObject } from "../calls/requests/json_object.ts";
import { nearestParameter } from "../calls/arguments/nearest_word.ts";
import { parameterOf, shownValue } from "../calls/requests/lenient_arguments.ts";
import type { RequestFields } from "../calls/requests/request_fields.ts";
import { RANGES } from "../calls/requests/shared_fields.ts";
import { FdError, type FdFailure } from "../../fd/system.ts";
import { type PlanProblem, WriteError } from "../calls/terms/write_failure.ts";
import type { WriteFault } from "../calls/terms/write_faults.ts";
import { convertLineEnds, type Eol } from "./checks/line_ends.ts";
import { type GivenContent, requestedContent } from "./commit/given_content.ts";
import type { WriteContext } from "./commit/write_context.ts";

/** A plan for one file. Malformed operations are undefined. */
export interface FormedPlan {
  targetFile: string | undefined;
  operations: readonly (PlanOperation | undefined)[];
  /** The line ends of new text and markers; undefined: new text has those of the file. */
  eol: Eol | undefined;
  mustExist: boolean;
  backupRequired: boolean;
  /** The prefix of its fields: empty, or `plans[1].`. */
  at: string;
}

/** Reads a plan that came as JSON, and reports the problems of its form. */
export function readPlan(given: unknown) {
  const problems: PlanProblem[] = [];
  if (!isJsonObject(given)) {
    problems.push({ at: "plan", problem: "expected a JSON object" });
    return { intent: undefined, plans: [], problems };
  }
  const intent = typeof given["intent"] === "string" ? given["intent"] : undefined;
  const { plans } = given;
  const eol = EOLS.find((each) => each === given["eol"]);
  if (plans === undefined) {
    problems.push(...faultsOf(PLAN_REQUEST.fields, given, "", ["operations"]));
    return { intent, plans: [readFilePlan(given, "", eol, problems)], problems };
  }
  problems.push(...faultsOf(PLAN_REQUEST.fields, given, "", ["plans"]));
  if (given["target_file"] !== undefined || given["operations"] !== undefined) {
    problems.push({
      at: "plans",
      problem: "expected either plans, or target_file with operations, not both",
    });
  }
  if (!Array.isArray(plans) || plans.length === 0) {
    problems.push({ at: "plans", problem: "expected a list of plans" });
    return { intent, plans: [], problems };
  }
  const formed = plans.map((plan: unknown, index) => {
    const at = `plans[${index}].`;
    problems.push(...faultsOf(FILE_PLAN_FIELDS, plan, at, ["operations"]));
    return readFilePlan(isJsonObject(plan) ? plan : {}, at, eol, problems);
  });
  return { intent, plans: formed, problems };
}

const EOLS: readonly Eol[] = ["keep", "lf", "crlf"];

function readFilePlan(
  given: JsonObject,
  at: string,
  eol: Eol | undefined,
  problems: PlanProblem[],
): FormedPlan {
  const { target_file: targetFile, operations, safety_checks: checks } = given;
  if (targetFile === undefined || targetFile === "") {
    problems.push({ at: `${at}target_file`, problem: "is missing" });
  }
  const flags = isJsonObject(checks) ? checks : {};
  return {
    targetFile: typeof targetFile === "string" && targetFile !== "" ? targetFile : undefined,
    operations: readOperations(operations, at, problems),
    eol,
    mustExist: flags["must_exist"] === true,
    backupRequired: flags["backup_required"] === true,
    at,
  };
}

function readOperations(given: unknown, at: string, problems: PlanProblem[]): (PlanOperation | undefined)[] {
  if (!Array.isArray(given) || given.length === 0) {
    const problem = given === undefined ? "is missing" : "expected a list of one or more operations";
    problems.push({ at: `${at}operations`, problem });
    return [];
  }
  return given.map((operation: unknown, index) => {
    const place = `${at}operations[${index}].`;
    const faults = faultsOf(OPERATION_FIELDS, operation, place, []);
    problems.push(...faults);
    if (!isJsonObject(operation) || faults.some((fault) => fault.at === `${place}type`)) return undefined;
    // The other fields are checked all the same.
    const faulty = new Set(faults.map((fault) => fault.at));
    const sound = Object.entries(operation).filter(([name]) => !faulty.has(place + name));
    return Object.fromEntries(sound) as PlanOperation;
  });
}

/** The faults of `given` by its fields, except those below `left`, which are reported elsewhere. */
function faultsOf(
  fields: RequestFields,
  given: unknown,
  at: string,
  left: readonly string[],
): PlanProblem[] {
  if (!isJsonObject(given)) {
    return [{ at: at.replace(/\.$/, "") || "plan", problem: `got ${shownValue(given)}, expected an object` }];
  }
  const known = Object.entries(given).filter(([name]) => Object.hasOwn(fields, name));
  const faults = objectFaults(fields, Object.fromEntries(known))
    .filter(({ field }) => !left.includes(/^[^.[]*/.exec(field)![0]));
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(fields, name)).map((name) => {
    const allowed = FIELDS[given["type"] as OperationType];
    const candidates = allowed === undefined ? Object.keys(fields) : [...CONTENT_FIELDS, ...allowed];
    const meant = parameterOf(fields, name) ??
      candidates.find((each) => each.split("_").includes(name.toLowerCase())) ??
      nearestParameter(name, candidates);
    return {
      at: at + name,
      problem: `unknown field${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    };
  });
  const others = faults.map(({ field, value, wanted, isUnknown }) => {
    const problem = isUnknown
      ? "unknown field"
      : value === undefined
      ? "is missing"
      : `got ${shownValue(value)}, expected ${wanted}`;
    return { at: at + field, problem };
  });
  return [...unknown, ...others];
}

const MARKERS = ["location_marker", "start_marker", "end_marker", "find"] as const;
export type MarkerField = typeof MARKERS[number];

/** An operation without its file. */
export interface OperationForm {
  /** Its place in the plan: `plans[1].operations[0]`. */
  at: string;
  operation: PlanOperation;
  eol: Eol | undefined;
  context: WriteContext;
  report(field: string, problem: PlanProblem["problem"]): undefined;
}

export interface NewText extends Pick<GivenContent, "remark"> {
  bytes: Uint8Array;
  convertedTo?: "lf" | "crlf" | undefined;
  /** The operation and its field that brings the text. */
  at: string;
  field: string;
}

/** Converts the line ends of the markers, so that text copied with others is found. */
export function withLineEndsOf(operation: PlanOperation, eol: Eol | undefined): PlanOperation {
  if (eol === undefined || eol === "keep" || operation.marker_type === "regex") return operation;
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
  append: ["location_marker", "glue"],
  overwrite: [],
  insert: ["location_marker", "position", "marker_type"],
  replace: ["start_marker", "end_marker", "find", "marker_type"],
  replace_all: ["find", "marker_type"],
};
const CONTENT_FIELDS: readonly (keyof PlanOperation)[] = ["type", "content_block", "content_fd", ...RANGES];

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
export async function newText(
  { at, operation, eol, context, report }: OperationForm,
): Promise<NewText | undefined> {
  const { content_block: block, content_fd: handle } = operation;
  if ((block === undefined) === (handle === undefined)) {
    const got = block === undefined ? "got neither" : "got both";
    return report("content_block", `expected exactly one of content_block and content_fd; ${got}`);
  }
  const field = block === undefined ? "content_fd" : "content_block";
  try {
    const asked = { fd: handle, range: operation, text: block, field: "content_block" };
    const given = await requestedContent(context.store, asked);
    const bytes = gatherBytes(given.chunks());
    return { bytes: convertLineEnds(bytes, eol ?? "keep"), remark: given.remark, at, field };
  } catch (thrown) {
    return report(field, problemIn(thrown));
  }
}

/** Failures that another plan would have, too. */
const NOT_OF_PLANS: readonly FdFailure["kind"][] = ["store_unreachable", "store_denied", "storage_full"];

/** The problem that something thrown is to a plan. */
export function problemIn(thrown: unknown): FdFailure | WriteFault {
  if (thrown instanceof FdError && !NOT_OF_PLANS.includes(thrown.failure.kind)) return thrown.failure;
  if (!(thrown instanceof WriteError)) throw thrown;
  const { failure } = thrown;
  if (failure.kind === "write_error" || failure.kind === "store_file") return failure;
  throw thrown;
}
