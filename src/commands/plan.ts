/**
 * `plan`: checks and applies write plans, shows the plan of a step, and undoes it (contract, Write plans).
 */

import { formatFd, type Store } from "../../fd/mod.ts";
import { isJsonObject } from "../calls/requests/json_object.ts";
import { understandJson } from "../calls/requests/lenient_json.ts";
import type { AnswerOf } from "../calls/terms/answers.ts";
import type { CommandCall, Host, Outcome } from "../calls/terms/command.ts";
import { textAnswer } from "../answers/parts/text_answer.ts";
import { firstFew } from "../answers/parts/first_few.ts";
import type { NextCall } from "../calls/terms/next_call.ts";
import { readStdinText } from "../calls/streams/read_stdin_bytes.ts";
import {
  FILE_PLAN_FIELDS,
  PLAN_COMMAND_FIELDS,
  PLAN_REQUEST,
  type PlanRequest,
} from "../calls/requests/plan_request.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { overridden } from "../calls/arguments/field_options.ts";
import { failUsage } from "../calls/requests/usage_failure.ts";
import { askedOutcome, asking, fileText, QUESTION_FIELDS, settle } from "../writing/write_options.ts";
import {
  findTransaction,
  formatTransaction,
  stepPaths,
  type Transaction,
} from "../writing/commit/journal.ts";
import { storedJson } from "../writing/commit/stored_content.ts";
import { undoTransaction } from "../writing/history/undo_transaction.ts";
import { type WriteContext, writeContextOf } from "../writing/commit/write_context.ts";
import { type ClosedAction, refuse } from "../calls/terms/write_failure.ts";
import { writePlan } from "../writing/write_plan.ts";

/** A whole plan, valid in every directory that has none of its files. No quote and no line is special to any shell. */
const PLAN_EXAMPLE = `printf '%s' '{
  "intent": "Start a change log",
  "plans": [
    {
      "target_file": "CHANGES.md",
      "operations": [
        {"type": "create", "content_block": "# Changes\\n\\n- Second entry\\n"},
        {"type": "append", "content_block": "- Third entry\\n"},
        {"type": "insert", "location_marker": "- Second entry",
         "position": "before", "content_block": "- First entry\\n"},
        {"type": "replace", "find": "# Changes", "content_block": "# Change log"}
      ]
    },
    {
      "target_file": "VERSION",
      "operations": [{"type": "create", "content_block": "1.0\\n"}]
    }
  ]
}' | fdtool plan check`;

export const command = defineOperation({
  ...PLAN_REQUEST,
  usage: "check|apply [FILE|-] | show|undo tx:N | --schema",
  values: { action: PLAN_COMMAND_FIELDS.action.choices },
  line: { ...PLAN_REQUEST.fields, ...PLAN_COMMAND_FIELDS, ...QUESTION_FIELDS },
  notes: [
    "A plan is a JSON object: what is changed and why, for one file (target_file, operations) or several (plans). " +
    "check reports every problem of a plan and writes nothing; apply changes all of its files or none. " +
    "An operation is create, append, overwrite, insert, replace or replace_all.",
  ],
  example: PLAN_EXAMPLE,
  exitCodes: {
    0: "the plan is valid, or was applied, shown or undone",
    1: "refused or failed; no file was changed",
    3: "input needed: fdtool asked a question",
  },
  reportsChange: true,
  async answer(request, host) {
    return askedOutcome(await writePlan(request, writeContextOf(host, host.answers)));
  },
  async run({ action, plan, force, schema, ...given }, host, call) {
    const { eol, dry_run, yes, allow_placeholders } = given;
    const stated = { eol, dry_run, yes, allow_placeholders };
    if (schema === true) return { exitCode: 0, answer: textAnswer(await planSchema()) };
    const own = asking.hostOf(call, host);
    const context = writeContextOf(own, own.answers);
    switch (action) {
      case "check":
      case "apply":
        return await runPlan(stated, call, own, context, plan, action === "check");
      case "show":
        return { exitCode: 0, answer: showPlan(context, stepOf(plan)) };
      case "undo":
        return {
          exitCode: 0,
          answer: await undoTransaction(
            planOf(context.store, stepOf(plan), "undo").transaction,
            context,
            { force: force === true, dryRun: dry_run === true },
          ),
        };
      default:
        return failUsage({ kind: "missing_argument", command: "plan", argument: "ACTION" });
    }
  },
});

/** The schema of a plan on one line. Each of several plans has the fields of one. */
async function planSchema(): Promise<string> {
  const { objectSchema } = await import("../agents/request_schema.ts");
  const one = objectSchema(FILE_PLAN_FIELDS);
  const plans = { type: "array", items: { $ref: "#" }, description: PLAN_REQUEST.fields.plans.description };
  return `${JSON.stringify({ ...one, properties: { ...one.properties, plans } })}\n`;
}

function stepOf(given: string | undefined): string {
  return given ?? failUsage({ kind: "missing_argument", command: "plan", argument: "tx:N" });
}

async function runPlan(
  stated: Pick<PlanRequest, "eol" | "dry_run" | "yes" | "allow_placeholders">,
  call: CommandCall,
  host: Host,
  context: WriteContext,
  file: string | undefined,
  checkOnly: boolean,
): Promise<Outcome> {
  const isStdin = file === undefined || file === "-";
  const text = isStdin ? readStdinText("the plan") : fileText("plan", "PLAN", file, context);
  const { value } = understandJson(text, "the plan");
  // Its form is checked together with the rest, so that every problem is reported at once.
  const plan = {
    ...overridden(isJsonObject(value) ? value : { plans: value }, stated),
    check_only: checkOnly ? true : undefined,
  };
  const outcome = await writePlan(plan, context);
  if (outcome.type !== "plan_check") return await settle(askedOutcome(outcome), call, host);
  const next: NextCall | undefined = isStdin
    ? undefined
    : { command: "plan", args: { action: "apply", file } };
  return { exitCode: 0, answer: { ...outcome, next } };
}

/** The transaction's plan. Refuses a step without one. */
function planOf(
  store: Store,
  handle: string,
  action: ClosedAction,
): { transaction: Transaction; planId: number } {
  const transaction = findTransaction(store, handle);
  const { plan } = transaction.begin;
  if (plan !== undefined) return { transaction, planId: plan };
  const how = `a step of ${transaction.begin.tool}, not of a plan`;
  return refuse({ kind: "closed", action, handle: formatTransaction(transaction.id), how });
}

/** A longer plan is shown as its fd. */
const MAX_SHOWN_CHARS = 8000;

/** The most files that are named: those in the plan's text are relative to where it was applied. */
const MAX_PATHS = 10;

function showPlan({ store, cwd }: WriteContext, handle: string): AnswerOf<"plan_shown"> {
  const { transaction, planId } = planOf(store, handle, "show the plan of");
  const plan = storedJson(store, planId, formatTransaction(transaction.id));
  const charCount = JSON.stringify(plan, null, 2).length;
  const fd = formatFd(planId);
  const paths = firstFew(stepPaths(transaction.begin.files, cwd), MAX_PATHS);
  return {
    type: "plan_shown",
    tx: formatTransaction(transaction.id),
    intent: transaction.begin.intent,
    plan_fd: fd,
    paths: paths.shown,
    more_paths: paths.more,
    state: transaction.outcome?.event.replace("_", " ") ?? "not finished",
    ...(charCount <= MAX_SHOWN_CHARS ? { plan } : {
      message: `The plan (${charCount} chars) is in ${fd}.`,
      next: { command: "read", args: { fd } },
    }),
    whole: plan,
  };
}
