/**
 * `undo`: undoes a step of the journal (contract, Writing files).
 */

import { optionsFrom, requestFrom } from "../arguments/field_options.ts";
import { UNDO_FIELDS } from "../requests/history_requests.ts";
import type { Command } from "../terms/command.ts";
import { UNREPORTED_EXIT } from "../answering/reported_changes.ts";
import { undoWrite } from "../writing/history/undo_transaction.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";

export const command: Command = {
  spec: {
    usage: "[tx:N|PATH] [options]",
    positionals: { least: 0, most: 1, names: ["step"] },
    values: { step: "TX|PATH" },
    options: optionsFrom(UNDO_FIELDS),
    example: "fdtool undo tx:7",
    exitCodes: [[0, "the files are as before that write"], [1, "refused or failed"], [
      2,
      "usage error",
    ], UNREPORTED_EXIT],
  },
  async run(call, host) {
    const [given] = call.positionals;
    const stated = requestFrom(UNDO_FIELDS, call);
    const request = given?.startsWith("tx:") === true ? { ...stated, tx: given } : { ...stated, path: given };
    return { exitCode: 0, answer: await undoWrite(request, writeContextOf(host)) };
  },
};
