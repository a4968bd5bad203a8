/**
 * `plan`: checks and applies write plans, shows the plan of a step, and takes it back (contract, Write plans).
 *
 * @module
 */

import { formatFd, type Store } from "../../../fd/mod.ts";
import { understandJson } from "../../requests/lenient_json.ts";
import type { PlanShown } from "../../terms/answers.ts";
import type { Command, CommandCall, Host, Outcome } from "../../terms/command.ts";
import { doneUntold } from "../../answering/done_untold.ts";
import { dryRunOption } from "../../options/dry_run_option.ts";
import { firstFew } from "../../answering/first_few.ts";
import type { NextCall } from "../../terms/next_call.ts";
import { readStdinText } from "../../streams/read_stdin_text.ts";
import type { PlanRequest } from "../../requests/write_requests.ts";
import { failUsage } from "../../requests/usage_failure.ts";
import { contextOf, eolOption, fileText, questionOptions, settle } from "../../options/write_options.ts";
import {
  findTransaction,
  formatTransaction,
  stepPaths,
  type Transaction,
} from "../../writing/commit/journal.ts";
import { keptJson } from "../../writing/commit/kept_content.ts";
import { undoTransaction } from "../../writing/history/undo_transaction.ts";
import type { WriteContext } from "../../writing/commit/write_context.ts";
import { type ClosedAction, refuse } from "../../terms/write_failure.ts";
import { writePlan } from "../../writing/write_plan.ts";

const ACTIONS = ["check", "apply", "show", "undo"] as const;

export const command: Command = {
  spec: {
    name: "plan",
    aliases: ["write_plan"],
    summary: "check or apply a write plan; show or undo an applied one",
    usage: "check|apply [FILE|-] | show|undo tx:N",
    positionals: { least: 1, most: 2, names: ["action", "plan"] },
    options: {
      yes: { kind: "flag", short: "y", help: "don't ask if more than half of a file changes" },
      force: { kind: "flag", help: "undo even if a file changed since" },
      ...questionOptions,
      ...eolOption,
      ...dryRunOption,
    },
    example: "fdtool plan apply plan.json",
    exitCodes: [
      [0, "the plan is valid, or was applied, shown or undone"],
      [1, "refused or failed; no file was changed"],
      [2, "usage error"],
      [3, "input needed: fdtool asked a question"],
      doneUntold,
    ],
  },
  async run(call, host) {
    const [action, given] = call.positionals;
    switch (ACTIONS.find((known) => known === action)) {
      case "check":
        return await runPlan(this.spec.name, call, host, true);
      case "apply":
        return await runPlan(this.spec.name, call, host, false);
      case "show":
        return {
          exitCode: 0,
          answer: showPlan(contextOf(this.spec.name, call, host), stepOf(given)),
        };
      case "undo":
        return await undoPlan(this.spec.name, call, host, stepOf(given));
      case undefined: {
        const wanted = `one of ${ACTIONS.join(", ")}`;
        return failUsage({ kind: "bad_value", command: "plan", option: "ACTION", got: action ?? "", wanted });
      }
    }
  },
};

function stepOf(given: string | undefined): string {
  return given ?? failUsage({ kind: "missing_argument", command: "plan", argument: "tx:N" });
}

async function runPlan(name: string, call: CommandCall, host: Host, checkOnly: boolean): Promise<Outcome> {
  const context = contextOf(name, call, host);
  const file = call.positionals[1];
  const text = file === undefined || file === "-"
    ? readStdinText("the plan")
    : fileText(name, "PLAN", file, host);
  const { value } = understandJson(text, "the plan");
  // Check the plan's form together with the rest, so that every problem is reported at once.
  const request = {
    ...(typeof value === "object" && value !== null && !Array.isArray(value) ? value : { plans: value }),
    check_only: checkOnly ? true : undefined,
    yes: call.options["yes"],
    ...(call.options["eol"] === undefined ? {} : { eol: call.options["eol"] }),
    dry_run: call.options["dry-run"],
  } as PlanRequest;
  const outcome = await writePlan(request, context);
  if (outcome.type !== "plan_check") return await settle(outcome, call, context);
  const next: NextCall | undefined = file === undefined || file === "-"
    ? undefined
    : { command: "plan", args: { action: "apply", file } };
  return { exitCode: 0, answer: { ...outcome, next } };
}

/** The transaction's plan; fails where the step is no plan. */
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

/** A plan up to this length is shown. */
const MOST_SHOWN_CHARS = 8000;

/** So many of its files are named; what targets its text names depends on where it was applied. */
const MOST_PATHS = 10;

function showPlan({ store, cwd }: WriteContext, handle: string): PlanShown {
  const { transaction, planId } = planOf(store, handle, "show the plan of");
  const plan = keptJson(store, planId, formatTransaction(transaction.id));
  const charCount = JSON.stringify(plan, null, 2).length;
  const fd = formatFd(planId);
  const paths = firstFew(stepPaths(transaction.begin.files, cwd), MOST_PATHS);
  return {
    type: "plan_shown",
    tx: formatTransaction(transaction.id),
    intent: transaction.begin.intent,
    plan_fd: fd,
    paths: paths.shown,
    more_paths: paths.more,
    state: transaction.outcome?.kind.replace("_", " ") ?? "not finished",
    ...(charCount <= MOST_SHOWN_CHARS ? { plan } : {
      message: `The plan (${charCount} chars) is in ${fd}.`,
      next: { command: "read", args: { fd } },
    }),
    whole: plan,
  };
}

async function undoPlan(name: string, call: CommandCall, host: Host, handle: string): Promise<Outcome> {
  const context = contextOf(name, call, host);
  const { transaction } = planOf(context.store, handle, "undo");
  const answer = await undoTransaction(transaction, context, {
    force: call.options["force"] === true,
    dryRun: call.options["dry-run"] === true,
  });
  return { exitCode: 0, answer };
}
