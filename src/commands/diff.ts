/**
 * `diff`: what changed between two fds, such as two runs of a command, or files, as unified hunks with
 * the line numbers of both.
 */

import { openHostStore } from "../answers/parts/open_host_store.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { takingFiles } from "../reading/file_as_fd.ts";
import { DIFF_REQUEST, type DiffRequest } from "../calls/requests/diff_request.ts";

export const command = defineOperation({
  ...DIFF_REQUEST,
  usage: "OLD_FD NEW_FD [options]",
  example: "fdtool diff fd:12 fd:15 --volatile hide",
  exitCodes: { 0: "the contents are equal", 1: "they differ, or refused or failed (see stderr)" },
  values: { "old-fd": "FD|FILE", "new-fd": "FD|FILE" },
  answer: takingFiles("diff", DIFF_REQUEST.fields, async (request: DiffRequest, host) => {
    const { diffFds } = await import("../reading/diff_fds.ts");
    const asked = host.isRaw === true ? { ...request, exact: true } : request;
    const answer = await diffFds(openHostStore(host), asked, host.checkpoint);
    return { exitCode: answer.identical ? 0 : 1, answer };
  }),
});
