/**
 * `stat`: all that is known of one fd.
 *
 * @module
 */

import type { Command } from "../../terms/command.ts";
import { openHostStore } from "../../answering/open_host_store.ts";
import { statFd } from "../../reading/stat_fd.ts";

export const command: Command = {
  spec: {
    name: "stat",
    aliases: ["stat_fd"],
    summary: "show everything recorded about an fd",
    usage: "FD",
    positionals: { least: 1, most: 1, names: ["fd"] },
    options: {},
    example: "fdtool stat fd:12 --format json",
    exitCodes: [[0, "the record was printed"], [1, "refused or failed"], [2, "usage error"]],
  },
  async run({ positionals }, host) {
    return { exitCode: 0, answer: await statFd(openHostStore(host), { fd: positionals[0]! }) };
  },
};
