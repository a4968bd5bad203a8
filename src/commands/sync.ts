/**
 * `sync`: shares what this host could not share yet (contract, Shared stores).
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { requireCache } from "../sharing/open_cache.ts";
import type { SharedCache } from "../../fd/mod.ts";
import { failureIn, type FdFailure, type OnProgress } from "../../fd/system.ts";
import { startWork, type WorkProgress } from "../answers/screen/work_progress.ts";
import { counted } from "../answers/parts/grouped_digits.ts";
import type { Report } from "../calls/terms/reports.ts";
import type { Outcome } from "../calls/terms/command.ts";
import { flagOption } from "../calls/requests/request_fields.ts";

export const command = defineOperation({
  fields: {
    wait: flagOption("also wait for the fds that other processes are sharing"),
  },
  usage: "[--wait]",
  example: "fdtool sync --wait",
  exitCodes: { 0: "all fds of this host are shared", 1: "some are not shared yet" },
  async answer({ wait }, host) {
    const cache = await requireCache("sync", host);
    const work = await startWork(host.env);
    return await syncFds(cache, wait === true, work).finally(work.end);
  },
});

/** How often fds that other processes are sharing are checked. */
const LOOK_EVERY_MS = 50;

/** Shares what no other process is sharing; with `waits`, also waits for what others share. */
async function syncFds(cache: SharedCache, waits: boolean, work: WorkProgress): Promise<Outcome> {
  const shared = new Set<number>();
  const failures: FdFailure[] = [];
  const failed = new Set<string>();
  for (;;) {
    const notes = cache.pending();
    for (const [at, { name }] of notes.entries()) {
      if (failed.has(name)) continue;
      const what = `sharing ${at + 1} of ${notes.length}:`;
      const onProgress: OnProgress = (...progress) => work.report(what, ...progress);
      onProgress(0);
      try {
        const id = await cache.upload(name, { onProgress });
        if (id !== undefined) shared.add(id);
      } catch (thrown) {
        failures.push(failureIn(thrown));
        failed.add(name);
      }
    }
    const left = cache.pending().filter(({ name }) => !failed.has(name));
    if (!waits || left.length === 0) break;
    if (work.isDue()) work.show(`waiting for ${counted(left.length, "fd")} that other processes share`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  const pending = cache.pending().length;
  return {
    exitCode: pending === 0 ? 0 : 1,
    answer: report(shared.size, pending),
    failures: failures.slice(0, 1),
  };
}

function report(sharedCount: number, pendingCount: number): Report {
  return {
    type: "fd_sync",
    facts: { shared: sharedCount, pending: pendingCount },
    message: pendingCount === 0
      ? `Shared ${counted(sharedCount, "fd")}; all fds of this host are shared.`
      : `Shared ${counted(sharedCount, "fd")}; ${counted(pendingCount, "fd")} of this host ${
        pendingCount === 1 ? "is" : "are"
      } not shared yet.`,
    next: pendingCount === 0 ? undefined : { command: "sync", args: { wait: true } },
  };
}
