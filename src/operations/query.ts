/**
 * `query`: the results of a jq filter over JSON, or a JSON value a line.
 */

import { fdFirst } from "../arguments/fd_first.ts";
import { optionsFrom, positionalsFrom, requestFrom } from "../arguments/field_options.ts";
import { queryFd } from "../reading/query_fd.ts";
import { QUERY_FIELDS } from "../requests/query_request.ts";
import type { Command, CommandSpec, Outcome } from "../terms/command.ts";

const spec: CommandSpec = {
  usage: "FD FILTER [options]",
  positionals: positionalsFrom(QUERY_FIELDS),
  options: optionsFrom(QUERY_FIELDS),
  example: `fdtool query fd:14 '.items[] | select(.status == "failed") | .name'`,
  exitCodes: [[0, "the filter was applied to every value"], [
    1,
    "invalid JSON, an error of the filter, out of time or memory, or refused or failed",
  ], [2, "usage error or invalid filter"]],
};

export const command: Command = {
  spec,
  async run(call, host): Promise<Outcome> {
    const request = requestFrom(QUERY_FIELDS, { ...call, positionals: fdFirst(call.positionals) });
    const answer = await queryFd(request, host);
    return { exitCode: answer.error === undefined ? 0 : 1, answer };
  },
};
