/**
 * `uninstall`: takes out of a harness's configuration what `install` wrote (contract, Agents).
 */

import { defineOperation } from "../arguments/define_operation.ts";
import { UNREPORTED_EXIT } from "../answering/reported_changes.ts";
import { optionsFrom } from "../arguments/field_options.ts";
import { DRY_RUN_FIELD } from "../requests/shared_fields.ts";
import { carryOutOrders, settingsOptions, settingsOrders, settingsUsage } from "../hooks/settings_order.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";

export const command = defineOperation({
  usage: settingsUsage,
  positionals: { least: 1, most: 1, names: ["harness"] },
  options: { ...settingsOptions, ...optionsFrom({ dry_run: DRY_RUN_FIELD }) },
  example: "fdtool uninstall claude-code --dry-run",
  exitCodes: [
    [0, "removed, or was not installed"],
    [
      1,
      "refused or failed; files already written are listed",
    ],
    [2, "usage error"],
    UNREPORTED_EXIT,
  ],
  async run(call, host) {
    const { uninstall } = await import("../hooks/change_settings.ts");
    const context = writeContextOf(host);
    const orders = settingsOrders("uninstall", call, host, { every: true });
    const { answers, failures } = await carryOutOrders(orders, (order) => uninstall(order, context));
    const changed = answers.filter(({ tx, dry_run }) => tx !== undefined || dry_run === true);
    const [answer, ...furtherAnswers] = changed.length > 0 ? changed : answers;
    return {
      exitCode: failures.length === 0 ? 0 : 1,
      answer,
      furtherAnswers: changed.length > 0 ? furtherAnswers : [],
      failures,
    };
  },
});
