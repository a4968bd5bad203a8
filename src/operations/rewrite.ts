/**
 * `rewrite`: replaces a whole file, with proof that the content is complete (contract, Writing files).
 */

import { UNREPORTED_EXIT } from "../answering/reported_changes.ts";
import { checkRequest, defineOperation } from "../arguments/define_operation.ts";
import { requestFrom } from "../arguments/field_options.ts";
import { namesFd } from "../arguments/file_for_fd.ts";
import { ACKNOWLEDGEMENT, REWRITE_FIELDS, REWRITE_RULES } from "../requests/rewrite_request.ts";
import { optionsOf } from "../terms/command.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";
import { contentOf, contentOptions } from "../writing/write_options.ts";

const REWRITE = { fields: REWRITE_FIELDS, rules: REWRITE_RULES };

export const command = defineOperation({
  ...REWRITE,
  usage: "PATH --expected-line-count N --acknowledgement TEXT [options] <CONTENT",
  options: contentOptions,
  example: "fdtool rewrite src/a.js --content fd:12 --expected-line-count 120 \\\n" +
    `  --acknowledgement "${ACKNOWLEDGEMENT}"`,
  exitCodes: [[0, "the file was rewritten"], [1, "refused or failed; the file is unchanged"], [
    2,
    "usage error",
  ], UNREPORTED_EXIT],
  async answer(request, host) {
    const { rewriteFile } = await import("../writing/rewrite_file.ts");
    return { exitCode: 0, answer: await rewriteFile(request, writeContextOf(host)) };
  },
  async run(call, host) {
    const { rewriteFile } = await import("../writing/rewrite_file.ts");
    const context = writeContextOf(host);
    const stated = requestFrom(REWRITE_FIELDS, call);
    const { content: from } = optionsOf(contentOptions, call);
    const isFd = from !== undefined && stated.content_fd === undefined &&
      namesFd(context.store, from, context.cwd);
    const request = isFd ? { ...stated, content_fd: from } : stated;
    const hasText = request.content_fd === undefined || undefined;
    checkRequest(call.command, REWRITE, { ...request, content: hasText });
    const content = contentOf(call.command, call, request, context);
    return { exitCode: 0, answer: await rewriteFile(request, context, content) };
  },
});
