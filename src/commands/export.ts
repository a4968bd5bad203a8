/**
 * `export`: chosen fds as one archive that `import` takes in and verifies, in another store or on another machine.
 */

import { withTarget } from "../writing/commit/inspect_target.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import {
  type ByteSource,
  exportFds,
  type FdEntry,
  findFd,
  formatFd,
  listFds,
  momentNow,
  type Store,
} from "../../fd/mod.ts";
import { fail, type OnProgress } from "../../fd/system.ts";
import type { Report } from "../calls/terms/reports.ts";
import type { Host } from "../calls/terms/command.ts";
import { fdFacts } from "../answers/parts/fd_summary.ts";
import { counted, groupedDigits } from "../answers/parts/grouped_digits.ts";
import { firstFew, listFew } from "../answers/parts/first_few.ts";
import { MAX_LISTED } from "../calls/requests/shared_fields.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { startWork, type WorkProgress } from "../answers/screen/work_progress.ts";
import { STDOUT } from "../calls/streams/standard_streams.ts";
import { isTerminal } from "../calls/streams/terminal.ts";
import { failConflict, failUsage, failValue } from "../calls/requests/usage_failure.ts";
import { commitChanges } from "../writing/commit/commit_changes.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";
import { flagOption } from "../calls/requests/request_fields.ts";

/** The name of a command's standard output, as an argument. */
const TO_STDOUT = "-";

/** The most fds that a sentence names. */
const MAX_NAMED = 10;

/** Exported content is private, as it was in the store. */
const ARCHIVE_MODE = 0o600;

export const command = defineOperation({
  fields: {
    fd: { kind: "fds", isArgument: true },
    all: flagOption("export all fds; live ones are skipped and reported"),
    output: {
      kind: "text",
      option: {
        value: "FILE",
        short: "o",
        help: "write to FILE, which must not exist; - (default) is stdout",
      },
    },
  },
  usage: "FD... | --all [--output FILE]",
  example: "fdtool export fd:3 ref:build --output build.tar",
  exitCodes: { 0: "exported", 1: "refused or failed, or stdout was closed early" },
  reportsChange: true,
  async answer({ fd: named = [], all, output = TO_STDOUT }, host) {
    const store = openHostStore(host);
    const { entries, live } = await chosenOf(store, named, all === true);
    if (output === TO_STDOUT && await isTerminal(STDOUT)) {
      failValue("export", "--output", "a terminal", "a FILE, or stdout redirected to a file or pipe");
    }
    const work = await startWork(host.env);
    const onHashed: OnProgress = (...progress) => work.report("hashing", ...progress);
    const archive = withProgress(await exportFds(store, entries, momentNow(), onHashed), work);
    if (output === TO_STDOUT) {
      const report = reportOf(entries, live, archive.byteLength, output, undefined);
      const answer = { type: "pass_through", stdout: archive } as const;
      return { exitCode: 0, answer, asides: [report], mustArrive: true };
    }
    const transactionId = await writeArchive(archive, output, host);
    return { exitCode: 0, answer: reportOf(entries, live, archive.byteLength, output, transactionId) };
  },
});

/** The archive, whose progress is shown while it is read. */
function withProgress(archive: ByteSource, work: WorkProgress): ByteSource {
  const { byteLength } = archive;
  return {
    byteLength,
    *chunks() {
      let doneBytes = 0;
      try {
        for (const chunk of archive.chunks()) {
          yield chunk;
          doneBytes += chunk.length;
          work.report("exporting", doneBytes, () => byteLength);
        }
      } finally {
        work.end();
      }
    },
  };
}

async function chosenOf(
  store: Store,
  [first, ...others]: readonly string[],
  takesAll: boolean,
): Promise<{ entries: FdEntry[]; live: FdEntry[] }> {
  if (takesAll) {
    if (first !== undefined) failConflict("export", "--all", first, "use --all or name fds");
    await store.backend.refresh({ kind: "records" });
    const all = listFds(store);
    const isLive = ({ state }: FdEntry) => state === "live";
    return { entries: all.filter((entry) => !isLive(entry)), live: all.filter(isLive) };
  }
  if (first === undefined) {
    return failUsage({ kind: "missing_argument", command: "export", argument: "FD" });
  }
  const byId = new Map([first, ...others].map((fd) => findFd(store, fd)).map((entry) => [entry.id, entry]));
  // An extraction comes after its source.
  return { entries: [...byId.values()].sort((a, b) => a.id - b.id), live: [] };
}

/** Makes the file, by the one path that every write takes; answers the number of the journal's step. */
async function writeArchive(content: ByteSource, path: string, host: Host): Promise<number> {
  const context = writeContextOf(host);
  return await withTarget(path, context, async (target) => {
    if (target.file !== undefined) fail({ kind: "file_exists", path });
    const change = { target, content, ifNew: { mode: ARCHIVE_MODE } };
    const step = { tool: "export", cwd: context.cwd, root: context.root };
    return (await commitChanges(context.store, [change], step)).transactionId;
  });
}

function reportOf(
  entries: readonly FdEntry[],
  live: readonly FdEntry[],
  byteCount: number,
  output: string,
  transactionId: number | undefined,
): Report {
  const shown = firstFew(entries, MAX_LISTED);
  const left = firstFew(live.map(({ id }) => formatFd(id)), MAX_LISTED);
  const but = live.length === 0
    ? ""
    : ` Skipped, still live: ${listFew(live.map(({ id }) => formatFd(id)), MAX_NAMED)}.`;
  return {
    type: "fd_export",
    facts: {
      fd_count: entries.length,
      archive_bytes: byteCount,
      output,
      tx: transactionId === undefined ? undefined : `tx:${transactionId}`,
      fds: shown.shown.map(fdFacts),
      more_fds: shown.more,
      left_out: live.length === 0 ? undefined : left.shown.map((fd) => ({ fd, state: "live" })),
      more_left_out: left.more,
    },
    message: `Exported ${counted(entries.length, "fd")} (an archive of ${
      groupedDigits(byteCount)
    } bytes).${but}${shown.more === undefined ? "" : ` The first ${MAX_LISTED} are listed.`}`,
    next: output === TO_STDOUT ? undefined : { words: ["--store", "OTHER", "import", output] },
  };
}
