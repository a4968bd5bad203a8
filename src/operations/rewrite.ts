/**
 * `rewrite`: replaces a whole file, with proof that the content is complete (contract, Writing files).
 */

import { optionsFrom, positionalsFrom, requestFrom } from "../arguments/field_options.ts";
import { ACKNOWLEDGEMENT, REWRITE_FIELDS } from "../requests/rewrite_request.ts";
import { type Command, optionsOf } from "../terms/command.ts";
import { UNREPORTED_EXIT } from "../answering/reported_changes.ts";
import { contentOf, contentOptions, namesFd } from "../writing/write_options.ts";
import { rewriteFile } from "../writing/rewrite_file.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";

export const command: Command = {
  spec: {
    usage: "PATH --expected-line-count N --acknowledgement TEXT [options] <CONTENT",
    positionals: positionalsFrom(REWRITE_FIELDS),
    options: { ...optionsFrom(REWRITE_FIELDS), ...contentOptions },
    example: "fdtool rewrite src/a.js --content fd:12 --expected-line-count 120 \\\n" +
      `  --acknowledgement "${ACKNOWLEDGEMENT}"`,
    exitCodes: [[0, "the file was rewritten"], [1, "refused or failed; the file is unchanged"], [
      2,
      "usage error",
    ], UNREPORTED_EXIT],
  },
  async run(call, host) {
    const context = writeContextOf(host);
    const stated = requestFrom(REWRITE_FIELDS, call);
    const { content: from } = optionsOf(contentOptions, call);
    const request = from !== undefined && stated.content_fd === undefined && namesFd(from)
      ? { ...stated, content_fd: from }
      : stated;
    const content = contentOf(call.command, call, request, context);
    return { exitCode: 0, answer: await rewriteFile(request, context, content) };
  },
};
