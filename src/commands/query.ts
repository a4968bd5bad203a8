/**
 * `query`: the results of a jq filter over JSON, or a JSON value a line.
 */

import { openHostStore } from "../answers/parts/open_host_store.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { fdFirst } from "../calls/arguments/file_for_fd.ts";
import { requestFrom } from "../calls/arguments/field_options.ts";
import { takingFiles } from "../reading/file_as_fd.ts";
import { queryFd } from "../reading/query_fd.ts";
import { QUERY_REQUEST, type QueryRequest } from "../calls/requests/query_request.ts";

export const command = defineOperation({
  ...QUERY_REQUEST,
  usage: "FD|FILE FILTER [options]",
  values: { fd: "FD|FILE" },
  example: `fdtool query fd:14 '.items[] | select(.status == "failed") | .name'`,
  exitCodes: {
    0: "the filter was applied to every value",
    1: "invalid JSON, an error of the filter, out of time or memory, or refused or failed",
    2: "usage error or invalid filter",
  },
  requestOf(call, host) {
    const positionals = fdFirst(call.positionals, host.cwd, () => openHostStore(host));
    return Promise.resolve(requestFrom(QUERY_REQUEST.fields, { ...call, positionals }));
  },
  answer: takingFiles("query", QUERY_REQUEST.fields, async (request: QueryRequest, host) => {
    const answer = await queryFd(request, host);
    return { exitCode: answer.error === undefined ? 0 : 1, answer };
  }),
});
