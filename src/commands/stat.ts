/**
 * `stat`: all that is known of one fd.
 */

import { openHostStore } from "../answers/parts/open_host_store.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { statFd } from "../reading/list_fds.ts";
import { STAT_REQUEST } from "../calls/requests/list_request.ts";

export const command = defineOperation({
  ...STAT_REQUEST,
  usage: "FD",
  example: "fdtool stat fd:12 --format json",
  exitCodes: { 0: "the record was printed", 1: "refused or failed" },
  answer: async (request, host) => ({ exitCode: 0, answer: await statFd(openHostStore(host), request) }),
});
