/**
 * Checks the form of a plan field by field. Its problems are reported together with those of the operations, and
 * valid parts are still checked against the files (contract, Write plans).
 */

import * as v from "valibot";
import {
  FILE_PLAN_FIELDS,
  OPERATION_FIELDS,
  PLAN_REQUEST,
  type PlanOperation,
} from "../requests/plan_request.ts";
import { isJsonObject, type JsonObject } from "../requests/json_object.ts";
import { schemaOf } from "../requests/request_schema.ts";
import type { Eol } from "./commit/given_content.ts";
import type { PlanProblem } from "../terms/write_failure.ts";

const planSchema = schemaOf(PLAN_REQUEST.fields);
const filePlanSchema = schemaOf(FILE_PLAN_FIELDS);
const operationSchema = schemaOf(OPERATION_FIELDS);

/** A plan for one file. Malformed operations are undefined. */
export interface FormedPlan {
  intent: string | undefined;
  targetFile: string | undefined;
  operations: readonly (PlanOperation | undefined)[];
  /** The line ends of new text and markers. */
  eol: Eol;
  mustExist: boolean;
  backupRequired: boolean;
  /** The prefix of its fields: empty, or `plans[1].`. */
  at: string;
}

/** A plan, and the problems of its form. */
export interface PlanForm {
  intent: string | undefined;
  plans: readonly FormedPlan[];
  problems: PlanProblem[];
}

/** Reads a plan that came as JSON. */
export function readPlan(given: unknown): PlanForm {
  const problems: PlanProblem[] = [];
  if (!isJsonObject(given)) {
    problems.push({ at: "plan", problem: "expected a JSON object" });
    return { intent: undefined, plans: [], problems };
  }
  const intent = typeof given["intent"] === "string" ? given["intent"] : undefined;
  const { plans } = given;
  const eol = given["eol"] === "lf" || given["eol"] === "crlf" ? given["eol"] : "keep";
  if (plans === undefined) {
    problems.push(...faultsOf(planSchema, given, "", ["operations"]));
    return { intent, plans: [readFilePlan(given, "", eol, problems)], problems };
  }
  problems.push(...faultsOf(planSchema, given, "", ["plans"]));
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
    problems.push(...faultsOf(filePlanSchema, plan, at, ["operations"]));
    return readFilePlan(isJsonObject(plan) ? plan : {}, at, eol, problems);
  });
  return { intent, plans: formed, problems };
}

function readFilePlan(
  given: JsonObject,
  at: string,
  eol: Eol,
  problems: PlanProblem[],
): FormedPlan {
  const { intent, target_file: targetFile, operations, safety_checks: checks } = given;
  if (targetFile === undefined || targetFile === "") {
    problems.push({ at: `${at}target_file`, problem: "is missing" });
  }
  const flags = isJsonObject(checks) ? checks : {};
  return {
    intent: typeof intent === "string" ? intent : undefined,
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
    const faults = faultsOf(operationSchema, operation, `${at}operations[${index}].`, []);
    problems.push(...faults);
    return faults.length === 0 ? v.parse(operationSchema, operation) : undefined;
  });
}

/** The faults of `given` by its schema, except those below `left`, which are reported elsewhere. */
function faultsOf(
  schema: v.GenericSchema,
  given: unknown,
  at: string,
  left: readonly string[],
): PlanProblem[] {
  const parsed = v.safeParse(schema, given);
  if (parsed.success) return [];
  return parsed.issues.flatMap((issue) => {
    const path = (issue.path ?? []).map((part) => part.key as string | number);
    if (left.includes(String(path[0]))) return [];
    const place = path.reduce<string>(
      (text, key) => typeof key === "number" ? `${text}[${key}]` : `${text}${text === "" ? "" : "."}${key}`,
      "",
    );
    const problem = issue.expected === "never"
      ? "unknown field"
      : issue.received === "undefined"
      ? "is missing"
      : `got ${issue.received}, expected ${issue.expected ?? "another value"}`;
    return [{ at: `${at}${place}`.replace(/\.$/, "") || "plan", problem }];
  });
}
