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
import { writeContextOf } from "../writing/commit/write_context.ts";

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
    const outcome = await carryOutOrders(orders, (order) => install(order, context));
    // The answers of its hook name that store, and are followed without a question.
    if (host.storeOption !== undefined && request.dry_run !== true) connect(host.storeOption, host);
    return outcome;
  },
});
