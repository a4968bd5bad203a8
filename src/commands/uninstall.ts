/**
 * `uninstall`: takes out of a harness's configuration what `install` wrote (contract, Agents).
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { DRY_RUN_FIELD } from "../calls/requests/write_fields.ts";
import {
  carryOutOrders,
  SETTINGS_FIELDS,
  settingsOrders,
  settingsUsage,
} from "../harnesses/settings_order.ts";
import { FdError, undefinedIf } from "../../fd/system.ts";
import { WriteError } from "../calls/terms/write_failure.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";

export const command = defineOperation({
  fields: { ...SETTINGS_FIELDS, dry_run: DRY_RUN_FIELD },
  usage: settingsUsage,
  example: "fdtool uninstall claude-code --dry-run",
  exitCodes: { 0: "removed, or was not installed", 1: "refused or failed; files already written are listed" },
  reportsChange: true,
  async answer(request, host) {
    const { newestFirst, removerOfDirectories, uninstall } = await import("../harnesses/change_settings.ts");
    const context = writeContextOf(host);
    const orders = newestFirst(settingsOrders("uninstall", request, host, { every: true }), context);
    const removeDirectories = removerOfDirectories(orders, context);
    const outcome = await carryOutOrders(orders, (order) => uninstall(order, context), (answers) => {
      const changed = answers.filter(({ tx, dry_run }) => tx !== undefined || dry_run === true);
      // The files belong together, so what was changed last is taken back first.
      const last = changed.at(-1);
      return last === undefined
        ? answers.slice(0, 1)
        : [...changed.slice(0, -1).map((answer) => ({ ...answer, next: undefined })), last];
    });
    // The settings are gone, so a directory that stays is not a failure.
    if (request.dry_run !== true) await removeDirectories().catch(undefinedIf(FdError, WriteError));
    return outcome;
  },
});
