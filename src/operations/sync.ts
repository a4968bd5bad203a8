/**
 * `sync`: shares what this host could not share yet (contract, Shared stores).
 */

import { defineOperation } from "../arguments/define_operation.ts";
import { cacheOf } from "../sharing/cache_of.ts";
import { startWork } from "../screen/work_progress.ts";
import { syncFds } from "../sharing/sync_fds.ts";

export const command = defineOperation({
  fields: {
    wait: { kind: "flag", option: { help: "also wait for the fds that other processes are sharing" } },
  },
  usage: "[--wait]",
  example: "fdtool sync --wait",
  exitCodes: { 0: "all fds of this host are shared", 1: "some are not shared yet" },
  async answer({ wait }, host) {
    const cache = await cacheOf("sync", host);
    const work = await startWork(host.env);
    return await syncFds(cache, wait === true, work).finally(work.end);
  },
});
