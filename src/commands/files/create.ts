/**
 * `create`: asks for the content of a new file, or whether to overwrite an existing one (contract, Inquiries).
 *
 * @module
 */

import { optionsFrom, positionalsFrom, requestFrom } from "../../arguments/field_options.ts";
import { CREATE_FIELDS } from "../../requests/inquiry_requests.ts";
import type { Command } from "../../terms/command.ts";
import { UNREPORTED_EXIT } from "../../answering/reported_changes.ts";
import { contextOf, questionOptions, settle } from "../../options/write_options.ts";
import { createFile } from "../../writing/create_file.ts";

export const command: Command = {
  spec: {
    name: "create",
    aliases: ["create_file", "write"],
    summary: "create a file; fdtool asks for its content",
    usage: "PATH [options]",
    positionals: positionalsFrom(CREATE_FIELDS),
    options: { ...optionsFrom(CREATE_FIELDS), ...questionOptions },
    example: "fdtool create src/new.rs",
    exitCodes: [[0, "the file was written"], [1, "refused or failed"], [2, "usage error"], [
      3,
      "input needed: fdtool asked a question",
    ], UNREPORTED_EXIT],
  },
  async run(call, host) {
    const context = contextOf(this.spec.name, call, host);
    const request = requestFrom(this.spec.name, CREATE_FIELDS, call);
    return await settle(await createFile(request, context), call, context);
  },
};
