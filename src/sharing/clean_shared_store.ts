/** `gc` on a shared store: cleans it for all hosts, and bounds this host's cache. */

import { planCleaning, readSharedStore } from "../../fd/mod.ts";
import { FdError, type FdFailure } from "../../fd/system.ts";
import { firstFew } from "../answering/first_few.ts";
import { removedFds } from "../answering/removed_fds.ts";
import { failUsage } from "../requests/usage_failure.ts";
import { MAX_LISTED } from "../requests/shared_fields.ts";
import type { CommandCall, Outcome } from "../terms/command.ts";
import { objectsOf } from "./objects_of.ts";
import type { SharedUse } from "./shared_use.ts";

export async function cleanOutcome(shared: SharedUse, { options }: CommandCall): Promise<Outcome> {
  for (const option of ["plan", "pack", "trust-clock"]) {
    if (options[option] !== undefined) {
      const wanted = "gc without it: a shared store is cleaned by the object store's clock";
      failUsage({ kind: "bad_value", command: "gc", option: `--${option}`, got: "true", wanted });
    }
  }
  const failures: FdFailure[] = [];
  const isDryRun = options["dry-run"] === true;
  const onUnreadable = (failure: FdFailure) => void failures.push(failure);
  const report = isDryRun ? await plan(shared, onUnreadable) : await shared.cache.clean(onUnreadable);
  const { shown, more } = firstFew(report.removed, options["all"] === true ? Infinity : MAX_LISTED);
  const count = report.removed.length;
  const done = `${isDryRun ? "Would remove" : "Removed"} ${
    count === 1 ? "1 fd" : `${count} fds`
  } from the shared store`;
  return {
    exitCode: failures.length === 0 ? 0 : 1,
    failures: failures.map((failure) => new FdError(failure)),
    answer: {
      type: "fd_gc",
      facts: {
        dry_run: isDryRun,
        ended: isDryRun ? undefined : report.ended,
        removed_count: count,
        stored_bytes: report.storedBytes,
        leftovers_removed: isDryRun ? undefined : report.litterCount,
        cache_bytes_freed: report.cacheBytesFreed,
        removed: removedFds(shown),
        more_removed: more,
      },
      message: report.ended === "busy"
        ? "Another host is cleaning the shared store."
        : report.ended === "cut"
        ? `${done}; the next gc goes on.`
        : `${done}.`,
      next: isDryRun && count > 0 ? { command: "gc", args: {} } : undefined,
    },
  };
}

async function plan({ url, host }: SharedUse, onUnreadable: (failure: FdFailure) => void) {
  const objects = objectsOf(url, host);
  const limits = await readSharedStore(objects);
  const nothing = { ended: "done" as const, removed: [], litterCount: 0, storedBytes: undefined };
  const report = limits === undefined ? nothing : await planCleaning(objects, limits, onUnreadable);
  return { ...report, cacheBytesFreed: undefined };
}
