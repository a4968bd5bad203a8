/**
 * `create`: asks for the content of a new file, or whether to overwrite one that is there (contract, Inquiries).
 *
 * @module
 */

import { type Command, type CommandSpec, optionsOf } from "../../terms/command.ts";
import { doneUntold } from "../../answering/done_untold.ts";
import { dryRunOption } from "../../options/dry_run_option.ts";
import { contextOf, questionOptions, settle } from "../../options/write_options.ts";
import { createFile } from "../../writing/create_file.ts";

const OPTIONS = { ...questionOptions, ...dryRunOption } as const satisfies CommandSpec["options"];

export const command: Command = {
  spec: {
    name: "create",
    aliases: ["create_file"],
    summary: "create a file; fdtool asks for its content",
    usage: "PATH [options]",
    positionals: { least: 1, most: 1, names: ["path"] },
    options: OPTIONS,
    example: "fdtool create src/new.rs",
    exitCodes: [[0, "the file was written"], [1, "refused or failed"], [2, "usage error"], [
      3,
      "input needed: fdtool asked a question",
    ], doneUntold],
  },
  async run(call, host) {
    const context = contextOf(this.spec.name, call, host);
    const request = { path: call.positionals[0]!, dry_run: optionsOf(OPTIONS, call)["dry-run"] };
    return await settle(await createFile(request, context), call, context);
  },
};
