/** Shares the fds of this host that are not shared yet. */

import type { SharedCache } from "../../fd/mod.ts";
import { FdError, type FdFailure, type OnProgress } from "../../fd/system.ts";
import type { WorkProgress } from "../screen/work_progress.ts";
import type { Report } from "../terms/reports.ts";
import type { Outcome } from "../terms/command.ts";

/** How often fds that other processes are sharing are checked. */
const LOOK_EVERY_MS = 50;

/** Shares what no other process is sharing; with `waits`, also waits for what others share. */
export async function syncFds(cache: SharedCache, waits: boolean, work: WorkProgress): Promise<Outcome> {
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
        if (!(thrown instanceof FdError)) throw thrown;
        failed.add(name);
        failures.push(thrown.failure);
      }
    }
    const left = cache.pending().filter(({ name }) => !failed.has(name));
    if (!waits || left.length === 0) break;
    if (work.isDue()) work.show(`waiting for ${fds(left.length)} that other processes share`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  const pending = cache.pending().length;
  return {
    exitCode: pending === 0 ? 0 : 1,
    answer: report(shared.size, pending),
    failures: failures.slice(0, 1),
  };
}

function fds(count: number): string {
  return count === 1 ? "1 fd" : `${count} fds`;
}

function report(sharedCount: number, pendingCount: number): Report {
  return {
    type: "fd_sync",
    facts: { shared: sharedCount, pending: pendingCount },
    message: pendingCount === 0
      ? `Shared ${fds(sharedCount)}; all fds of this host are shared.`
      : `Shared ${fds(sharedCount)}; ${fds(pendingCount)} of this host ${
        pendingCount === 1 ? "is" : "are"
      } not shared yet.`,
    next: pendingCount === 0 ? undefined : { command: "sync", args: { wait: true } },
  };
}
