/**
 * `create`: asks for the content of a new file, or whether to overwrite an existing one (contract, Inquiries).
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { CREATE_REQUEST, type CreateRequest } from "../calls/requests/inquiry_requests.ts";
import { failValue } from "../calls/requests/usage_failure.ts";
import type { Host, Outcome } from "../calls/terms/command.ts";
import {
  askedOutcome,
  asking,
  CONTENT_OPTION,
  namedContent,
  QUESTION_FIELDS,
  settle,
} from "../writing/write_options.ts";
import { createFile } from "../writing/create_file.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";
import { CONTENT_QUESTION, OVERWRITE_QUESTION } from "../writing/inquiries/inquiries.ts";
import { flagOption } from "../calls/requests/request_fields.ts";

async function answer(request: CreateRequest, host: Host): Promise<Outcome> {
  return askedOutcome(await createFile(request, writeContextOf(host, host.answers)));
}

export const command = defineOperation({
  ...CREATE_REQUEST,
  usage: "PATH [options]",
  line: {
    ...CREATE_REQUEST.fields,
    content: { kind: "fd", option: CONTENT_OPTION },
    overwrite: flagOption("with --content: overwrite the existing file (--no-overwrite keeps it)"),
    ...QUESTION_FIELDS,
  },
  example: "fdtool create src/new.rs --content draft.rs",
  exitCodes: {
    0: "the file was written",
    1: "refused or failed",
    3: "input needed: fdtool asked a question",
  },
  reportsChange: true,
  answer,
  async run({ content: from, overwrite, ...given }, host, call) {
    const { path, dry_run, allow_placeholders } = given;
    const own = asking.hostOf(call, host);
    const context = writeContextOf(own, own.answers);
    const request = { path, dry_run, allow_placeholders };
    if (from === undefined) {
      if (overwrite === undefined) return await settle(await answer(request, own), call, own);
      failValue("create", "--overwrite", `${overwrite}`, "--content FILE|-|FD too");
    }
    const content = await namedContent(call.command, from, context);
    const answers = { ...context.answers, [CONTENT_QUESTION]: { content }, [OVERWRITE_QUESTION]: overwrite };
    return askedOutcome(await createFile(request, { ...context, answers }));
  },
});
