/**
 * `undo`: undoes a step of the journal (contract, Writing files).
 */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { requestFrom } from "../calls/arguments/field_options.ts";
import { UNDO_REQUEST } from "../calls/requests/history_requests.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";

export const command = defineOperation({
  ...UNDO_REQUEST,
  usage: "[tx:N|PATH] [options]",
  line: { ...UNDO_REQUEST.fields, step: { kind: "text", isArgument: true } },
  values: { step: "TX|PATH" },
  example: "fdtool undo tx:7",
  exitCodes: { 0: "the files are as before that write", 1: "refused or failed" },
  reportsChange: true,
  requestOf(call, host) {
    const [named] = call.positionals;
    // The newest step in this directory, which is undone without an argument, too.
    const isNewest = named === "last" && !existsSync(resolve(host.cwd, named));
    const given = isNewest ? undefined : named;
    const stated = requestFrom(UNDO_REQUEST.fields, call);
    const isStep = given?.startsWith("tx:") === true;
    return Promise.resolve({ ...stated, ...(isStep ? { tx: given } : { path: given }) });
  },
  async answer(request, host) {
    const { undoWrite } = await import("../writing/history/undo_transaction.ts");
    return { exitCode: 0, answer: await undoWrite(request, writeContextOf(host)) };
  },
});
