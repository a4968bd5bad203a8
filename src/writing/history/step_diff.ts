/**
 * The change that a step of the journal made to a file, as a diff. The old content is the step's backup; the new one is
 * the file, if it is still as the step left it, or the backup of the next step that changed it.
 */

import { FdError, joinBytes, type Store } from "../../../fd/mod.ts";
import { fewSentences } from "../../answering/first_few.ts";
import { inSentences } from "../../answering/next_command.ts";
import type { WriteLog } from "../../terms/answers.ts";
import { WriteError } from "../../terms/write_failure.ts";
import { bytesSource } from "../commit/given_content.ts";
import { gatherBytes } from "../commit/gather_bytes.ts";
import { inspectFile, type Place, resolveInRoot, wholeFile } from "../commit/inspect_target.ts";
import {
  findTransaction,
  type JournaledFile,
  newestTransactions,
  type Transaction,
} from "../commit/journal.ts";
import { pathFromHere } from "../commit/resolve_path.ts";
import { oldContent } from "../commit/roll_back.ts";
import { showWhole } from "../commit/show_step.ts";
import { unifiedDiff } from "../../comparing/unified_diff.ts";
import { stepAnswer } from "./log_answer.ts";

/** Larger contents are not compared. */
const MAX_BYTES = 8 * 1024 * 1024;

/** A diff, or why there is none: the new content is known no more, one is too large, or the step was never prepared. */
export type StepDiff = { diff: Uint8Array } | { missing: "content" | "too_large" | "not_written" };

/**
 * The diff of file number `index` of a step.
 *
 * @throws {FdError} `outside_root`, `store_corrupt`, and failures of the disk; {@link WriteError} if a backup is
 * incomplete.
 */
export async function stepDiff(
  place: Place & { store: Store },
  transaction: Transaction,
  index: number,
): Promise<StepDiff> {
  const file = transaction.begin.files[index]!;
  const after = transaction.after?.[index];
  if (after === undefined) return { missing: "not_written" };
  if (Math.max(file.before?.bytes ?? 0, after?.bytes ?? 0) > MAX_BYTES) return { missing: "too_large" };
  const now = after === null
    ? new Uint8Array(0)
    : await contentAfter(place, transaction.id, file, after.sha256);
  if (now === undefined) return { missing: "content" };
  const { backup, before } = file;
  const old = backup !== null && typeof backup !== "number"
    ? now.subarray(0, backup.prefix_bytes)
    : gatherBytes((await oldContent(place.store, file))?.chunks() ?? []);
  const name = pathFromHere(file.path, place.cwd);
  return {
    diff: unifiedDiff({ name: before === null ? "/dev/null" : name, bytes: old }, {
      name: after === null ? "/dev/null" : name,
      bytes: now,
    }),
  };
}

/** Why a file of a step has no diff. */
export const MISSING_DIFF = {
  content:
    "The file was changed since by another program, and the content that this step wrote is kept nowhere.",
  too_large: "The file is too large to be compared here.",
  not_written: "This step wrote nothing.",
};

/** Bytes of a diff that are shown, unless all are asked for. */
const SHOWN_BYTES = 8000;

/** The most files without a diff that are named. */
const MAX_NOTES = 10;

/** The step as the journal lists it, with the diff of its first `mostFiles` files (Infinity for all of it). */
export async function stepWithDiff(
  context: Place & { store: Store },
  handle: string,
  mostFiles: number,
  nowMs: number,
): Promise<WriteLog> {
  const answer = stepAnswer(context, handle, mostFiles, nowMs);
  const transaction = findTransaction(context.store, handle);
  const diffs: Uint8Array[] = [];
  const notes: string[] = [];
  for (const [index, { path }] of transaction.begin.files.slice(0, mostFiles).entries()) {
    const name = pathFromHere(path, context.cwd);
    try {
      const found = await stepDiff(context, transaction, index);
      if ("diff" in found) diffs.push(found.diff);
      else notes.push(`${name} has no diff: ${MISSING_DIFF[found.missing]}`);
    } catch (thrown) {
      if (!(thrown instanceof FdError || thrown instanceof WriteError)) throw thrown;
      notes.push(`${name} has no diff (${thrown.failure.kind}).`);
    }
  }
  const diff = joinBytes(diffs);
  const head = mostFiles === Infinity ? diff : diff.subarray(0, SHOWN_BYTES);
  const isCut = head.length < diff.length;
  const shown = isCut ? head.subarray(0, head.lastIndexOf(0x0a) + 1 || head.length) : diff;
  const cut = isCut ? [`Showing the first ${shown.length} of ${diff.length} bytes of the diff.`] : [];
  const sentences = [
    ...(answer.message === undefined ? [] : [answer.message]),
    ...cut,
    ...fewSentences(notes, MAX_NOTES, "files without a diff"),
  ];
  return {
    ...answer,
    message: sentences.length === 0 ? undefined : inSentences(sentences),
    next: isCut ? showWhole(transaction.id) : answer.next,
    diff: diff.length === 0 ? undefined : bytesSource(shown),
  };
}

/** The content with that sum that step `id` gave a file; undefined if it is kept nowhere. */
async function contentAfter(
  place: Place & { store: Store },
  id: number,
  { path }: JournaledFile,
  sha256: string,
): Promise<Uint8Array | undefined> {
  const shown = pathFromHere(path, place.cwd);
  resolveInRoot(path, place, "read");
  if ((await inspectFile(path, shown))?.sha256 === sha256) return wholeFile(path, shown);
  for (const later of newestTransactions(place.store)) {
    if (later.id <= id) return undefined;
    const kept = later.begin.files.find((file) => file.path === path && file.before?.sha256 === sha256);
    if (typeof kept?.backup === "number") {
      return gatherBytes((await oldContent(place.store, kept))?.chunks() ?? []);
    }
  }
  return undefined;
}
