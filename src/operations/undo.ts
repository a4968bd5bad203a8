/**
 * `undo`: undoes a step of the journal (contract, Writing files).
 */

import { UNREPORTED_EXIT } from "../answering/reported_changes.ts";
import { defineOperation } from "../arguments/define_operation.ts";
import { requestFrom } from "../arguments/field_options.ts";
import { UNDO_FIELDS } from "../requests/history_requests.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";

export const command = defineOperation({
  fields: UNDO_FIELDS,
  usage: "[tx:N|PATH] [options]",
  positionals: { least: 0, most: 1, names: ["step"] },
  values: { step: "TX|PATH" },
  example: "fdtool undo tx:7",
  exitCodes: [[0, "the files are as before that write"], [1, "refused or failed"], [
    2,
    "usage error",
  ], UNREPORTED_EXIT],
  requestOf(call) {
    const [given] = call.positionals;
    const stated = requestFrom(UNDO_FIELDS, call);
    return given?.startsWith("tx:") === true ? { ...stated, tx: given } : { ...stated, path: given };
  },
  async answer(request, host) {
    const { undoWrite } = await import("../writing/history/undo_transaction.ts");
    return { exitCode: 0, answer: await undoWrite(request, writeContextOf(host)) };
  },
});
