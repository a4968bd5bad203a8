/**
 * `diff`: what changed between two fds, such as two runs of a command, as unified hunks with the line numbers of both.
 */

import { openHostStore } from "../answering/open_host_store.ts";
import { defineOperation } from "../arguments/define_operation.ts";
import { DIFF_FIELDS } from "../requests/diff_request.ts";

export const command = defineOperation({
  fields: DIFF_FIELDS,
  usage: "OLD_FD NEW_FD [options]",
  example: "fdtool diff fd:12 fd:15 --volatile hide",
  exitCodes: [[0, "the fds are equal"], [1, "the fds differ, or refused or failed (see stderr)"], [
    2,
    "usage error",
  ]],
  async answer(request, host) {
    const { diffFds } = await import("../reading/diff_fds.ts");
    const answer = await diffFds(openHostStore(host), request, host.checkpoint);
    return { exitCode: answer.identical ? 0 : 1, answer };
  },
});
