/**
 * `diff`: what changed between two fds, such as two runs of a command, as unified hunks with the line numbers of both.
 */

import type { Command, CommandSpec, Outcome } from "../terms/command.ts";
import { openHostStore } from "../answering/open_host_store.ts";
import { optionsFrom, positionalsFrom, requestFrom } from "../arguments/field_options.ts";
import { diffFds } from "../reading/diff_fds.ts";
import { DIFF_FIELDS } from "../requests/diff_request.ts";

const spec: CommandSpec = {
  usage: "OLD_FD NEW_FD [options]",
  positionals: positionalsFrom(DIFF_FIELDS),
  options: optionsFrom(DIFF_FIELDS),
  example: "fdtool diff fd:12 fd:15 --volatile hide",
  exitCodes: [[0, "the fds are equal"], [1, "the fds differ, or refused or failed (see stderr)"], [
    2,
    "usage error",
  ]],
};

export const command: Command = {
  spec,
  async run(call, host): Promise<Outcome> {
    const answer = await diffFds(openHostStore(host), requestFrom(DIFF_FIELDS, call));
    return { exitCode: answer.identical ? 0 : 1, answer };
  },
};
