/** `gc` on a shared store: cleans it for all hosts, and bounds this host's cache. */

import { planCleaning, readSharedStore } from "../../fd/mod.ts";
import { FdError, type FdFailure } from "../../fd/system.ts";
import { counted } from "../answers/parts/grouped_digits.ts";
import { firstFew } from "../answers/parts/first_few.ts";
import { removedFds } from "../answers/parts/fd_summary.ts";
import { failValue } from "../calls/requests/usage_failure.ts";
import { MAX_LISTED } from "../calls/requests/shared_fields.ts";
import type { Host, Outcome } from "../calls/terms/command.ts";
import { openObjects, requireCache } from "./open_cache.ts";

/** Answers `gc` by its flags. */
export async function cleanSharedStore(
  { dry_run, all, ...others }: Readonly<Record<string, boolean | undefined>>,
  host: Host,
): Promise<Outcome> {
  for (const [option, value] of Object.entries(others)) {
    if (value === undefined) continue;
    const wanted = "gc without it: a shared store is cleaned by the object store's clock";
    failValue("gc", `--${option.replace("_", "-")}`, "true", wanted);
  }
  const failures: FdFailure[] = [];
  const isDryRun = dry_run === true;
  const onUnreadable = (failure: FdFailure) => void failures.push(failure);
  const report = isDryRun
    ? await planned(host, onUnreadable)
    : await (await requireCache("gc", host)).clean(onUnreadable);
  const { shown, more } = firstFew(report.removed, all === true ? Infinity : MAX_LISTED);
  const count = report.removed.length;
  const done = `${isDryRun ? "Would remove" : "Removed"} ${counted(count, "fd")} from the shared store`;
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

async function planned(host: Host, onUnreadable: (failure: FdFailure) => void) {
  const objects = await openObjects(host);
  const limits = await readSharedStore(objects);
  const nothing = { ended: "done" as const, removed: [], litterCount: 0, storedBytes: undefined };
  const report = limits === undefined ? nothing : await planCleaning(objects, limits, onUnreadable);
  return { ...report, cacheBytesFreed: undefined };
}
