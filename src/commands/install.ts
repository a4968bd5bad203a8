/**
 * `install`: writes what a harness needs so that large shell output goes through fdtool, or registers fdtool's tools
 * (contract, Agents).
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { DRY_RUN_FIELD } from "../calls/requests/write_fields.ts";
import { connect } from "../sharing/connected_stores.ts";
import {
  carryOutOrders,
  INSTALL_FIELDS,
  SETTINGS_FIELDS,
  settingsOrders,
  settingsUsage,
} from "../harnesses/settings_order.ts";
import { inSentences } from "../answers/parts/next_command.ts";
import type { Outcome } from "../calls/terms/command.ts";
import type { NextArguments } from "../calls/terms/next_call.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";

/** The answers of all files as one, which leads to `uninstall`: the files belong together. */
function asOneAnswer(
  outcome: Outcome,
  { harness, project, config, via }: NextArguments["uninstall"],
): Outcome {
  const answers = [outcome.answer, ...outcome.furtherAnswers ?? []]
    .filter((answer) => answer?.type === "write_result");
  const [first, ...others] = answers;
  // A dry run shows the diff of each.
  if (first === undefined || first.dry_run === true) return outcome;
  const isWritten = answers.some(({ tx }) => tx !== undefined);
  // Without these, only what is installed for the user would be removed.
  const place = config === undefined ? { project } : { config, via };
  const next = isWritten ? { command: "uninstall" as const, args: { harness, ...place } } : first.next;
  if (others.length === 0) return { ...outcome, answer: { ...first, next } };
  const files = answers.map((
    { path = "", created = false, lines_added = 0, lines_removed = 0, bytes = 0, ...file },
  ) => ({
    ...{ path, created, lines_added, lines_removed, bytes },
    removed: file.removed,
    backup_fd: file.backup_fd,
  }));
  const message = inSentences(answers.map((answer) => [answer.message ?? ""].flat()));
  const tx = answers.findLast((answer) => answer.tx !== undefined)?.tx;
  const answer = { type: "write_result" as const, files, tx, message, next };
  return { ...outcome, answer, furtherAnswers: undefined };
}

export const command = defineOperation({
  fields: { ...SETTINGS_FIELDS, ...INSTALL_FIELDS, dry_run: DRY_RUN_FIELD },
  usage: settingsUsage,
  example: "fdtool install claude-code --dry-run",
  exitCodes: {
    0: "installed, or already installed",
    1: "refused or failed; files already written are listed",
  },
  reportsChange: true,
  async answer(request, host) {
    const { install } = await import("../harnesses/change_settings.ts");
    const context = writeContextOf(host);
    const orders = settingsOrders("install", request, host, { every: false });
    // What cannot be installed fails before anything is written.
    if (orders.length > 1) { for (const order of orders) await install({ ...order, dryRun: true }, context); }
    const outcome = asOneAnswer(
      await carryOutOrders(orders, (order) => install(order, context)),
      request,
    );
    // The answers of its hook name that store, and are followed without a question.
    if (host.storeOption !== undefined && request.dry_run !== true) connect(host.storeOption, host);
    return outcome;
  },
});
