/**
 * `verify`: checks every byte in the store, and repairs what can be repaired (contract, Commands).
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import {
  type CheckReport,
  checkStore,
  type Finding,
  listFds,
  type LogJudge,
  openStore,
} from "../../fd/mod.ts";
import type { OnProgress } from "../../fd/system.ts";
import type { Host } from "../calls/terms/command.ts";
import { counted, groupedDigits } from "../answers/parts/grouped_digits.ts";
import { firstFew, onlyFirst } from "../answers/parts/first_few.ts";
import { inSentences } from "../answers/parts/next_command.ts";
import { failValue } from "../calls/requests/usage_failure.ts";
import { openHostStore, sharedStoreOf } from "../answers/parts/open_host_store.ts";
import { startWork, type WorkProgress } from "../answers/screen/work_progress.ts";
import { faultInInquiry } from "../writing/inquiries/inquiries.ts";
import { faultInTransaction } from "../writing/commit/journal.ts";
import { flagOption } from "../calls/requests/request_fields.ts";

/** Left behind by design after a kill, a removal or another version: reported, but not damage. */
const HARMLESS: ReadonlySet<Finding["problem"]> = new Set([
  "writer_died",
  "removal_unfinished",
  "name_dangling",
  "other_version",
]);

/** Maximum number of listed findings; high, because repaired ones cannot be found again. */
const MAX_FINDINGS = 1000;

export const command = defineOperation({
  fields: {
    repair: flagOption(
      "rebuild indexes, finish removals, fix permissions (default; --no-repair only checks)",
    ),
    remote: flagOption(
      "read and check all fds on the object store; without it, only this host's cache is checked",
    ),
    all: {
      kind: "flag",
      option: { short: "a", help: `list all findings, not only the first ${MAX_FINDINGS}` },
    },
  },
  usage: "[--no-repair] [--remote] [--all]",
  example: "fdtool verify",
  noticesInterrupted: true,
  exitCodes: { 0: "no damage, or all damage was repaired", 1: "damage remains" },
  async answer({ repair: repairs, remote, all: listsAll }, host) {
    const repair = repairs !== false;
    const isRemote = remote === true;
    const work = await startWork(host.env);
    const { fdCount, byteCount, findings } = await checkedStore(host, repair, isRemote, work).finally(
      work.end,
    );
    const isDamage = ({ problem, repaired }: Finding) => !repaired && !HARMLESS.has(problem);
    const damaged = findings.filter(isDamage);
    // Damage first: the list may be shortened.
    const told = [...damaged, ...findings.filter((finding) => !isDamage(finding))];
    const { shown, more } = firstFew(told, listsAll === true ? Infinity : MAX_FINDINGS);
    const args = { repair: repair ? undefined : false, remote: isRemote || undefined, all: true } as const;
    const rest = onlyFirst(shown.length, more, { command: "verify", args });
    const repaired = findings.filter(({ repaired }) => repaired).length;
    const checked = `Checked ${counted(fdCount, "fd")} (${groupedDigits(byteCount)} bytes): `;
    const found = counted(findings.length, "finding");
    return {
      exitCode: damaged.length === 0 ? 0 : 1,
      answer: {
        type: "fd_verify",
        facts: {
          ok: damaged.length === 0,
          fds: fdCount,
          bytes: byteCount,
          damaged: damaged.length,
          repaired,
          finding: shown.map((finding) => ({ ...finding })),
          more_findings: more,
        },
        message: findings.length === 0
          ? `${checked}no damage found.`
          : inSentences([`${checked}${found}, ${repaired} repaired, ${damaged.length} damaged.`, ...rest]),
        next: damaged.length > 0 && !repair && !isRemote ? { command: "verify", args: {} } : undefined,
      },
    };
  },
});

async function checkedStore(
  host: Host,
  repair: boolean,
  isRemote: boolean,
  work: WorkProgress,
): Promise<CheckReport> {
  const sharedStore = sharedStoreOf(host);
  if (isRemote && sharedStore === undefined) {
    failValue("verify", "--remote", "true", "verify without it: the store is not a shared one");
  }
  const store = sharedStore === undefined ? openHostStore(host) : openStore(sharedStore.path);
  const judgeLog: LogJudge = (family, id, lines) =>
    family === "tx" ? faultInTransaction(store, id, lines) : faultInInquiry(id, lines);
  if (sharedStore === undefined) {
    let total: number | undefined;
    // As far as the records can be read.
    const totalBytes = () =>
      total ??= listFds(store, () => {}).reduce((sum, { byteCount }) => sum + byteCount, 0);
    const onProgress: OnProgress = (doneBytes) => work.report("verifying", doneBytes, totalBytes);
    return await checkStore(store, { repair, judgeLog, onProgress });
  }
  const { checkSharedStore } = await import("../sharing/check_shared_store.ts");
  // How much it is, the object store alone knows.
  const onProgress: OnProgress = (doneBytes) => work.report("verifying", doneBytes);
  return await checkSharedStore(store.path, host, { isRemote, repair, judgeLog, onProgress });
}
