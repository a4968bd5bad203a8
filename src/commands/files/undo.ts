/**
 * `undo`: takes a journaled step back (contract, Writing files).
 *
 * @module
 */

import { type Command, type CommandSpec, optionsOf } from "../../terms/command.ts";
import { doneUntold } from "../../answering/done_untold.ts";
import { dryRunOption } from "../../options/dry_run_option.ts";
import type { UndoRequest } from "../../requests/write_requests.ts";
import { undoWrite } from "../../writing/history/undo_transaction.ts";
import { writeContextOf } from "../../writing/commit/write_context.ts";

const OPTIONS = {
  force: { kind: "flag", help: "undo even if the file changed since; its current content is backed up" },
  ...dryRunOption,
} as const satisfies CommandSpec["options"];

export const command: Command = {
  spec: {
    name: "undo",
    aliases: ["undo_write"],
    summary: "undo a write: the newest in this directory, a given one, or a file's newest",
    usage: "[tx:N|PATH] [options]",
    positionals: { least: 0, most: 1, names: ["step"] },
    options: OPTIONS,
    example: "fdtool undo tx:7",
    exitCodes: [[0, "the files are as before that write"], [1, "refused or failed"], [
      2,
      "usage error",
    ], doneUntold],
  },
  async run(call, host) {
    const [given] = call.positionals;
    const options = optionsOf(OPTIONS, call);
    const isStep = given !== undefined && /^tx:/.test(given);
    const request: UndoRequest = {
      tx: isStep ? given : undefined,
      path: isStep ? undefined : given,
      force: options["force"],
      dry_run: options["dry-run"],
    };
    return { exitCode: 0, answer: await undoWrite(request, writeContextOf(host)) };
  },
};
