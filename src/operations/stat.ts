/**
 * `stat`: all that is known of one fd.
 */

import type { Command } from "../terms/command.ts";
import { openHostStore } from "../answering/open_host_store.ts";
import { positionalsFrom, requestFrom } from "../arguments/field_options.ts";
import { statFd } from "../reading/stat_fd.ts";
import { STAT_FIELDS } from "../requests/list_request.ts";

export const command: Command = {
  spec: {
    usage: "FD",
    positionals: positionalsFrom(STAT_FIELDS),
    options: {},
    example: "fdtool stat fd:12 --format json",
    exitCodes: [[0, "the record was printed"], [1, "refused or failed"], [2, "usage error"]],
  },
  async run(call, host) {
    return { exitCode: 0, answer: await statFd(openHostStore(host), requestFrom(STAT_FIELDS, call)) };
  },
};
