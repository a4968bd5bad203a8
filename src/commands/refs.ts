/**
 * `refs`: the bound names.
 */

import { openHostStore } from "../answers/parts/open_host_store.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { REFS_REQUEST } from "../calls/requests/list_request.ts";
import { refsOutcome } from "../reading/list_fds.ts";

export const command = defineOperation({
  ...REFS_REQUEST,
  usage: "[options]",
  example: "fdtool refs",
  exitCodes: { 0: "the names were printed", 1: "refused or failed, or a shared store was not reached" },
  answer: (request, host) => refsOutcome(openHostStore(host), request),
});
