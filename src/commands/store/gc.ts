/**
 * `gc`: removes what is over the age and the quota (contract, The store), and lists it.
 *
 * @module
 */

import { collectGarbage, formatFd, type GcReport } from "../../../fd/mod.ts";
import type { Command } from "../../terms/command.ts";
import { daysAhead, doubtedFds } from "../../answering/clock_doubt.ts";
import { UNREPORTED_EXIT } from "../../answering/reported_changes.ts";
import { firstFew, listAllOption } from "../../answering/first_few.ts";
import { MOST_LISTED } from "../../requests/shared_fields.ts";
import type { NextCall } from "../../terms/next_call.ts";
import { inSentences } from "../../answering/next_command.ts";
import { openHostStore } from "../../answering/open_host_store.ts";

export const command: Command = {
  spec: {
    name: "gc",
    aliases: [],
    summary: "remove fds beyond the age limit (FDTOOL_TTL) and the quota (FDTOOL_QUOTA)",
    usage: "[--dry-run] [--trust-clock] [--all]",
    positionals: { least: 0, most: 0 },
    options: {
      "dry-run": { kind: "flag", help: "list what would be removed, and remove nothing" },
      "trust-clock": {
        kind: "flag",
        help: "trust the clock, even if it jumped since the last gc",
      },
      ...listAllOption,
    },
    example: "fdtool gc --dry-run",
    exitCodes: [[0, "done"], [1, "refused or failed, or a record is unreadable (its fd is kept)"], [
      2,
      "usage error",
    ], UNREPORTED_EXIT],
  },
  async run({ options }, host) {
    const dryRun = options["dry-run"] === true;
    const trustClock = options["trust-clock"] === true;
    const report = await collectGarbage(openHostStore(host), { dryRun, nowMs: Date.now(), trustClock });
    const { shown, more } = firstFew(report.removed, options["all"] === true ? Infinity : MOST_LISTED);
    const { removed, bytesBefore, bytesAfter, litterCount, unreadable } = report;
    const rest: NextCall = dryRun
      ? { command: "gc", args: { dry_run: true, all: true } }
      : { command: "ls", args: { removed: true, all: true } };
    return {
      exitCode: unreadable.length === 0 ? 0 : 1,
      failures: unreadable,
      answer: {
        type: "fd_gc",
        facts: {
          dry_run: dryRun,
          removed_count: removed.length,
          bytes_before: bytesBefore,
          bytes_after: bytesAfter,
          leftovers_removed: litterCount,
          doubted_count: report.doubtedCount || undefined,
          removed: shown.map(({ id, byteCount, source, why }) => ({
            fd: formatFd(id),
            bytes: byteCount,
            source,
            why,
          })),
          more_removed: more,
        },
        message: inSentences([
          `${dryRun ? "Would remove" : "Removed"} ${removed.length} ${
            removed.length === 1 ? "fd" : "fds"
          }; the store ${dryRun ? "would hold" : "holds"} ${bytesAfter} bytes of content.`,
          ...clockDoubt(report),
          ...(more === undefined ? [] : [[`The first ${shown.length} are listed; `, rest, " lists all."]]),
        ]),
        next: dryRun && removed.length > 0 ? { command: "gc", args: {} } : undefined,
      },
    };
  },
};

/** The sentence for fds that only a clock which jumped makes too old. */
function clockDoubt({ doubtedCount, clockAheadMs }: GcReport) {
  if (doubtedCount === 0) return [];
  const trusted: NextCall = { command: "gc", args: { trust_clock: true } };
  return [[
    `Kept ${doubtedFds(doubtedCount)}: the clock jumped ${
      daysAhead(clockAheadMs)
    } days ahead since the last gc. ` +
    "If the clock is right, ",
    trusted,
    " removes them; otherwise gc removes them after the clock has run evenly for a week.",
  ]];
}
