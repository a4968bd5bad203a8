/**
 * `sync`: shares what this host could not share yet (contract, Shared stores).
 */

import type { Command } from "../terms/command.ts";
import { cacheOf } from "../sharing/cache_of.ts";
import { startWork } from "../screen/work_progress.ts";
import { syncFds } from "../sharing/sync_fds.ts";

export const command: Command = {
  spec: {
    usage: "[--wait]",
    positionals: { least: 0, most: 0 },
    options: {
      wait: { kind: "flag", help: "also wait for the fds that other processes are sharing" },
    },
    example: "fdtool sync --wait",
    exitCodes: [[0, "all fds of this host are shared"], [1, "some are not shared yet"], [2, "usage error"]],
  },
  async run({ options }, host) {
    const cache = await cacheOf("sync", host);
    const work = await startWork(host.env);
    return await syncFds(cache, options["wait"] === true, work).finally(work.end);
  },
};
