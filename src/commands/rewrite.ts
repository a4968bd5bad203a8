/**
 * `rewrite`: replaces a whole file, with proof that the content is complete (contract, Writing files).
 */

import { checkRequest, defineOperation } from "../calls/arguments/define_operation.ts";
import { namesFd } from "../calls/arguments/file_for_fd.ts";
import { ACKNOWLEDGEMENT, REWRITE_REQUEST } from "../calls/requests/rewrite_request.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";
import { CONTENT_OPTION, contentOf } from "../writing/write_options.ts";

const { content: _, ...OTHER_FIELDS } = REWRITE_REQUEST.fields;
const REWRITE = REWRITE_REQUEST;

export const command = defineOperation({
  ...REWRITE,
  usage: "PATH --expected-line-count N --acknowledgement TEXT [options] <CONTENT",
  line: {
    ...OTHER_FIELDS,
    content: { kind: "fd", option: { ...CONTENT_OPTION, aliases: ["content-file"] } },
  },
  example: "fdtool rewrite src/a.js --content fd:12 --expected-line-count 120 \\\n" +
    `  --acknowledgement "${ACKNOWLEDGEMENT}"`,
  exitCodes: { 0: "the file was rewritten", 1: "refused or failed; the file is unchanged" },
  reportsChange: true,
  async answer(request, host) {
    const { rewriteFile } = await import("../writing/rewrite_file.ts");
    return { exitCode: 0, answer: await rewriteFile(request, writeContextOf(host)) };
  },
  async run({ content: from, ...stated }, host, { command: name }) {
    const { rewriteFile } = await import("../writing/rewrite_file.ts");
    const context = writeContextOf(host);
    const isFd = from !== undefined && stated.content_fd === undefined &&
      namesFd(context.store, from, context.cwd);
    const request = isFd ? { ...stated, content_fd: from } : stated;
    const hasText = request.content_fd === undefined || undefined;
    checkRequest(name, REWRITE, { ...request, content: hasText });
    const content = contentOf(name, from, request.content_fd, context);
    return { exitCode: 0, answer: await rewriteFile(request, context, content) };
  },
});
