/**
 * The result of a write or a dry run as an answer: counts, sizes, handles, the next command, never content. Lines are
 * counted before the commit, while the old file exists.
 */

import { counted } from "../../answers/parts/grouped_digits.ts";
import { bytesSource, formatFd, gatherBytes } from "../../../fd/mod.ts";
import { joinBytes } from "../../../fd/system.ts";
import type { WriteResult, WrittenFile } from "../../calls/terms/answers.ts";
import { fewSentences, firstFew } from "../../answers/parts/first_few.ts";
import type { Message } from "../../calls/terms/next_call.ts";
import { inSentences } from "../../answers/parts/next_command.ts";
import { type ChangedLineCounts, countChangedLines } from "../../findings/comparing/changed_lines.ts";
import { type Change, commitChanges, type Committed, isUnchanged, type Step } from "./commit_changes.ts";
import { type Target, wholeContent } from "./inspect_target.ts";
import { formatTransaction, showWhole } from "./journal.ts";
import { storeContent } from "./stored_content.ts";
import { unifiedDiff } from "../../findings/comparing/unified_diff.ts";
import type { WriteContext } from "./write_context.ts";

/** A write to carry out and report. */
interface WriteOrder {
  changes: readonly Change[];
  /** The reason, which is of the context's directory and root. */
  step: Omit<Step, "cwd" | "root">;
  dryRun: boolean;
  /** The sentence about a change: `Rewrote a.js: 3 lines added, 1 removed`. */
  sentence(change: Change, counts: ChangedLineCounts, file: WrittenFile): string;
  /** Sentences that come last. */
  notes?: readonly Message[] | undefined;
}

/** The most files, and the most notes, in an answer; the step, or the diff of a dry run, has all. */
export const MAX_REPORTED = 50;

/** Commits the changes, unless it is a dry run, and reports the result. The targets must be locked. */
export async function writeAndReport(context: WriteContext, order: WriteOrder): Promise<WriteResult> {
  const { changes, notes = [] } = order;
  const counts = changes.map(({ target, content }) => countChangedLines(target.before, content));
  if (order.dryRun) return dryRun(context, order, counts);
  const { store, cwd, root } = context;
  const areSame = counts.every(({ addedCount, removedCount }) => addedCount + removedCount === 0);
  if (!areSame || !await isUnchanged(changes)) {
    return written(order, counts, await commitChanges(store, changes, { ...order.step, cwd, root }));
  }
  const why = "this would change nothing";
  const same = changes.length === 1
    ? notWritten(changes[0]!.target, why)
    : { type: "write_result" as const, message: `Nothing was written: ${why}.` };
  // New text that was converted may be why.
  return { ...same, message: inSentences([same.message, ...notes]) };
}

/** The answer if a file was left unchanged, with the reason. */
export function notWritten({ path, file }: Target, why: string): WriteResult {
  return {
    type: "write_result",
    path,
    created: false,
    lines_added: 0,
    lines_removed: 0,
    bytes: file?.stamp.byteCount ?? 0,
    message: `Nothing was written to ${path}: ${why}.`,
  };
}

function written(
  { changes, sentence, notes = [] }: WriteOrder,
  counts: readonly ChangedLineCounts[],
  { transactionId, files: committed, notes: last }: Committed,
): WriteResult {
  const tx = formatTransaction(transactionId);
  const files = changes.map((change, index): WrittenFile => {
    const { byteCount, backupId, copyPath } = committed[index]!;
    return {
      ...plannedFile(change, counts[index]!, byteCount),
      backup_fd: backupId === undefined ? undefined : formatFd(backupId),
      backup_file: copyPath,
    };
  });
  const aboutFiles = changes.map((change, index) => sentence(change, counts[index]!, files[index]!));
  const remarks = changes.flatMap(({ target }, index) => remarksOn(target, committed[index]!.ownerKept));
  return {
    type: "write_result",
    ...spread(files),
    tx,
    message: inSentences([
      ...fewSentences(aboutFiles, MAX_REPORTED, "files"),
      ...files.length > MAX_REPORTED ? [[showWhole(transactionId), " lists all files."]] : [],
      ...fewSentences([...remarks, ...notes], MAX_REPORTED, "remarks"),
      ...last,
    ]),
    next: { command: "undo", args: { tx } },
  };
}

/** Remarks on a file that was replaced, beside its content. */
export function remarksOn({ path, file }: Target, ownerKept: boolean): string[] {
  const { mode = 0, linkCount = 1 } = file ?? {};
  const lost = (mode & 0o6000) === 0 ? "" : ", and lost its setuid or setgid bit";
  return [
    ...linkCount > 1 ? [`${path} had ${linkCount} hard links; the other names keep the old content.`] : [],
    ...ownerKept ? [] : [`${path} now belongs to the caller${lost}.`],
    ...file === undefined || (mode & 0o222) !== 0
      ? []
      : [`${path} is read-only (mode ${(mode & 0o777).toString(8)}); it was replaced, and still is.`],
  ];
}

function dryRun(
  { store }: WriteContext,
  { changes, notes = [] }: WriteOrder,
  counts: readonly ChangedLineCounts[],
): WriteResult {
  const files: WrittenFile[] = [];
  const diffs: Uint8Array[] = [];
  for (const [index, change] of changes.entries()) {
    const { target, content } = change;
    const after = content?.bytes ?? gatherBytes(content?.chunks() ?? []);
    files.push(plannedFile(change, counts[index]!, after.length));
    const name = target.path.replace(/^\/+/, "");
    const oldName = target.file === undefined ? "/dev/null" : `a/${name}`;
    const newName = content === undefined ? "/dev/null" : `b/${name}`;
    diffs.push(
      unifiedDiff({ name: oldName, bytes: wholeContent(target) }, { name: newName, bytes: after }),
    );
  }
  const diff = joinBytes(diffs);
  const start = firstLines(diff, MAX_DIFF_BYTES);
  const diffFd = start === diff ? undefined : formatFd(storeContent(store, diff, "diff").id);
  const aboutFiles = files.map((file, index) => plannedSentence(counts[index]!, file));
  return {
    type: "write_result",
    ...spread(files),
    dry_run: true,
    diff_fd: diffFd,
    message: inSentences([
      "Dry run: nothing was written.",
      ...fewSentences(aboutFiles, MAX_REPORTED, "files"),
      ...fewSentences(notes, MAX_REPORTED, "remarks"),
      ...diffFd === undefined ? [] : [`The whole diff (${diff.length} bytes) is in ${diffFd}.`],
    ]),
    next: diffFd === undefined ? undefined : { command: "read", args: { fd: diffFd } },
    diff: bytesSource(start),
  };
}

/** Says what a change would do to its file. */
function plannedSentence(counts: ChangedLineCounts, file: WrittenFile): string {
  if (file.removed === true) return `This would remove ${file.path}.`;
  if (!file.created) return `This would change ${file.path}: ${changeDetails(counts, file)}`;
  return `This would create ${file.path}: ${counted(counts.newLineCount, "line")} (${
    counted(file.bytes, "byte")
  }).`;
}

const MAX_DIFF_BYTES = 8000;

/** The first lines of a diff of more than `most` bytes; else all of it. */
export function firstLines(diff: Uint8Array, most: number): Uint8Array {
  if (diff.length <= most) return diff;
  return diff.subarray(0, diff.lastIndexOf(0x0a, most - 1) + 1 || most);
}

/** A file as a change leaves it. */
export function plannedFile(change: Change, counts: ChangedLineCounts, byteCount: number): WrittenFile {
  return {
    path: change.target.path,
    created: change.target.file === undefined && change.content !== undefined,
    removed: change.content === undefined ? true : undefined,
    lines_added: counts.addedCount,
    lines_removed: counts.removedCount,
    // All of a new file is new.
    lines: change.target.file === undefined ? undefined : counts.lines,
    bytes: byteCount,
  };
}

/** One file is in the answer itself, several are in a list. */
function spread(files: readonly WrittenFile[]): Partial<WriteResult> {
  if (files.length === 1) return files[0]!;
  const { shown, more } = firstFew(files, MAX_REPORTED);
  return { files: shown, more_files: more };
}

/** "Created a.js: 3 lines (45 bytes)." or, with the verb `done`, "Rewrote a.js: 3 lines added, 1 removed (45 bytes)." */
export function changeSentence(done: string, counts: ChangedLineCounts, file: WrittenFile): string {
  return file.created
    ? `Created ${file.path}: ${counted(counts.newLineCount, "line")} (${counted(file.bytes, "byte")}).`
    : `${done} ${file.path}: ${changeDetails(counts, file)}`;
}

/** "3 lines added, 1 removed (4567 bytes). The old content is fd:9." */
export function changeDetails(counts: ChangedLineCounts, file: WrittenFile): string {
  const backup = file.backup_fd === undefined ? "" : ` The old content is in ${file.backup_fd}.`;
  const copy = file.backup_file === undefined ? "" : ` Backup saved to ${file.backup_file}.`;
  return `${counted(counts.addedCount, "line")} added, ${counts.removedCount} removed (${
    counted(file.bytes, "byte")
  }).${backup}${copy}`;
}
