/**
 * `gc`: removes what is over the age and the quota (contract, The store), and lists it.
 */

import { REFS_REQUEST } from "../calls/requests/list_request.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { collectGarbage, type GcReport, type PackReport } from "../../fd/mod.ts";
import type { OnProgress } from "../../fd/system.ts";
import { daysAhead, doubtedFds } from "../answers/parts/moment_text.ts";
import { counted, groupedDigits } from "../answers/parts/grouped_digits.ts";
import { firstFew, onlyFirst } from "../answers/parts/first_few.ts";
import { removedFds } from "../answers/parts/fd_summary.ts";
import { MAX_LISTED } from "../calls/requests/shared_fields.ts";
import type { NextCall } from "../calls/terms/next_call.ts";
import { inSentences } from "../answers/parts/next_command.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { startWork } from "../answers/screen/work_progress.ts";
import { flagOption } from "../calls/requests/request_fields.ts";

export const command = defineOperation({
  fields: {
    dry_run: flagOption("list what would be removed, and remove nothing"),
    pack: flagOption("compress the remaining content; store what several fds share only once"),
    plan: {
      kind: "flag",
      option: {
        instead: "--dry-run --pack",
        help: "remove and compress nothing; say what --pack would save",
      },
    },
    trust_clock: flagOption("trust the clock, even if it jumped since the last gc"),
    all: REFS_REQUEST.fields.all,
  },
  usage: "[--dry-run] [--pack] [--trust-clock] [--all]",
  example: "fdtool gc --dry-run",
  exitCodes: { 0: "done", 1: "refused or failed, or a record is unreadable (its fd is kept)" },
  reportsChange: true,
  async answer(request, host) {
    const store = openHostStore(host);
    if (!store.backend.hasWholeFiles) {
      return await (await import("../sharing/clean_shared_store.ts")).cleanSharedStore(request, host);
    }
    const { dry_run, pack: packs, plan, trust_clock, all } = request;
    const dryRun = dry_run === true || plan === true;
    const work = await startWork(host.env);
    const onProgress: OnProgress = (...progress) => work.report("packing", ...progress);
    const pack = packs === true || plan === true ? { plan: dryRun, onProgress } : undefined;
    const trustClock = trust_clock === true;
    const nowMs = Date.now();
    const report = await collectGarbage(store, { dryRun, nowMs, trustClock, pack })
      .finally(work.end);
    const { shown, more } = firstFew(report.removed, all === true ? Infinity : MAX_LISTED);
    const { removed, bytesBefore, bytesAfter, litterCount, packing } = report;
    const { diskBytesBefore: disk_bytes_before, diskBytesAfter: disk_bytes_after } = report;
    const isPacked = packing !== undefined || disk_bytes_before !== bytesBefore;
    const onDisk = isPacked
      ? { disk_bytes_before, disk_bytes_after, packed_count: packing?.packedCount }
      : {};
    const failures = [...report.unreadable, ...packing?.failures ?? []];
    const rest: NextCall = dryRun
      ? { command: "gc", args: { dry_run: true, pack: pack && true as const, all: true } }
      : { command: "ls", args: { removed: true, all: true } };
    return {
      exitCode: failures.length === 0 ? 0 : 1,
      failures,
      answer: {
        type: "fd_gc",
        facts: {
          dry_run: dryRun,
          removed_count: removed.length,
          bytes_before: bytesBefore,
          bytes_after: bytesAfter,
          ...onDisk,
          leftovers_removed: litterCount,
          doubted_count: report.doubtedCount || undefined,
          removed: removedFds(shown),
          more_removed: more,
        },
        message: inSentences([
          `${dryRun ? "Would remove" : "Removed"} ${counted(removed.length, "fd")}; the store ${
            dryRun ? "would hold" : "holds"
          } ${groupedDigits(bytesAfter)} bytes of content${
            isPacked ? `, ${groupedDigits(disk_bytes_after)} on disk` : ""
          }.`,
          ...(packing === undefined ? [] : [packed(packing, dryRun)]),
          ...clockDoubt(report),
          ...onlyFirst(shown.length, more, rest),
        ]),
        next: dryRun && (removed.length > 0 || (packing?.packedCount ?? 0) > 0)
          ? { command: "gc", args: { pack: pack && true as const } }
          : undefined,
      },
    };
  },
});

function packed({ packedCount, bytesBefore, bytesAfter }: PackReport, isPlanned: boolean): string {
  const [did, about] = isPlanned ? ["Would pack", "about "] : ["Packed", ""];
  return `${did} ${counted(packedCount, "fd")}: ${groupedDigits(bytesBefore)} bytes into ${about}${
    groupedDigits(bytesAfter)
  }.`;
}

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
