/**
 * The journal as an answer: its newest steps, newest last, or one with its changes as a diff (contract, Writing
 * files). The old content of a file is the step's backup; the new one is the file, if it is still as the step left it,
 * or the backup of the next step that changed it.
 */

import { bytesSource, formatFd, highestLogId, type Store } from "../../../fd/mod.ts";
import { FdError, joinBytes } from "../../../fd/system.ts";
import type { WriteLog } from "../../calls/terms/answers.ts";
import { fewSentences, firstFew } from "../../answers/parts/first_few.ts";
import type { Message } from "../../calls/terms/next_call.ts";
import { inSentences } from "../../answers/parts/next_command.ts";
import { unifiedDiff } from "../../findings/comparing/unified_diff.ts";
import { WriteError } from "../../calls/terms/write_failure.ts";
import { inspectFile, wholeFile } from "../commit/present_file.ts";
import { type Place, resolveInRoot } from "../commit/target_path.ts";
import {
  findTransaction,
  formatTransaction,
  type JournaledFile,
  type LoggedTransaction,
  newestTransactions,
  showWhole,
  stepPaths,
  type Transaction,
} from "../commit/journal.ts";
import { firstLines } from "../commit/report_write.ts";
import { oldBytes } from "../commit/roll_back.ts";
import { isInterrupted } from "./recover_transactions.ts";
import { pathFromHere, pathsFromHere } from "../commit/resolve_path.ts";
import type { WriteContext } from "../commit/write_context.ts";

/** The most paths and backups of each step in a list of several. */
const MAX_PATHS = 10;

/** The most damaged steps that are named. */
const MAX_LOST = 5;

type LoggedStep = WriteLog["steps"][number];

/** The journal's store, and the directory that paths are relative to. */
type Onlooker = Pick<WriteContext, "store" | "cwd">;

/** The newest `limit` steps (Infinity for all). */
export function logAnswer({ store, cwd }: Onlooker, limit: number, nowMs: number): WriteLog {
  const total = highestLogId(store, "tx");
  const steps: LoggedStep[] = [];
  /** The newest step with more paths than are shown. */
  let cutId: number | undefined;
  const lost: string[] = [];
  const onLost = (id: number, what: string) => lost.push(`The record of ${formatTransaction(id)} ${what}.`);
  for (const transaction of newestTransactions(store, onLost)) {
    if (steps.length >= limit) break;
    const step = stepOf(transaction, nowMs, MAX_PATHS, cwd);
    if (step.more_paths !== undefined) cutId ??= transaction.id;
    steps.push(step);
  }
  steps.reverse();
  const isWhole = steps.length >= total || limit === Infinity;
  const showsCut = cutId === undefined ? undefined : showWhole(cutId);
  const sentences: Message[] = [
    ...(total === 0 ? ["No file has been written through fdtool yet."] : []),
    ...(isWhole ? [] : [`Showing the newest ${steps.length} of ${total} steps.`]),
    ...(showsCut === undefined
      ? []
      : [[`Showing at most ${MAX_PATHS} paths per step; `, showsCut, " shows all."]]),
    ...(lost.length > MAX_LOST ? [`The records of ${lost.length} steps are damaged.`] : lost),
    ...(lost.length === 0 ? [] : [[{ command: "verify" as const, args: {} }, " reports all damage."]]),
  ];
  return {
    type: "write_log",
    total,
    message: sentences.length === 0 ? undefined : inSentences(sentences),
    next: isWhole ? showsCut : { command: "log", args: { all: true } },
    steps,
  };
}

/**
 * One step with the first `mostPaths` of its paths (Infinity for all).
 *
 * @throws {WriteError} `not_found`.
 */
export function stepAnswer(
  { store, cwd }: Onlooker,
  handle: string,
  mostPaths: number,
  nowMs: number,
): WriteLog {
  const wanted = findTransaction(store, handle);
  for (const transaction of newestTransactions(store)) {
    if (transaction.id !== wanted.id) continue;
    const left = firstFew(
      pathsFromHere(wanted.outcome?.left ?? [], cwd),
      mostPaths,
    );
    const step = stepOf(transaction, nowMs, mostPaths, cwd);
    const isCut = (step.more_paths ?? left.more) !== undefined;
    return {
      type: "write_log",
      total: highestLogId(store, "tx"),
      message: isCut
        ? `Showing the first ${step.paths.length} of ${transaction.begin.files.length} paths.`
        : undefined,
      next: isCut ? showWhole(transaction.id) : undefined,
      steps: [{ ...step, left: left.shown.length === 0 ? undefined : left.shown, more_left: left.more }],
    };
  }
  throw new Error(`${handle} disappeared during the read`);
}

function stateOf(transaction: LoggedTransaction, nowMs: number): LoggedStep["state"] {
  const { outcome, isUndone } = transaction;
  if (isUndone) return "undone";
  if (outcome === undefined) return isInterrupted(transaction, nowMs) ? "interrupted" : "running";
  if (outcome.event === "rolled_back") return "rolled back";
  return outcome.recovered === true ? "recovered" : "done";
}

function stepOf(
  transaction: LoggedTransaction,
  nowMs: number,
  mostPaths: number,
  cwd: string,
): LoggedStep {
  const { id, begin, after } = transaction;
  const { files, tool, intent, undoes, plan } = begin;
  const paths = firstFew(stepPaths(files, cwd), mostPaths);
  const backups = firstFew(
    files.flatMap(({ backup }) => typeof backup === "number" ? [formatFd(backup)] : []),
    mostPaths,
  );
  return {
    tx: formatTransaction(id),
    at: new Date(begin.at).toISOString(),
    tool,
    intent,
    state: stateOf(transaction, nowMs),
    paths: paths.shown,
    more_paths: paths.more,
    bytes_before: files.reduce((sum, { before }) => sum + (before?.bytes ?? 0), 0),
    bytes_after: after?.reduce((sum, each) => sum + (each?.bytes ?? 0), 0),
    backups: backups.shown,
    more_backups: backups.more,
    plan_fd: plan === undefined ? undefined : formatFd(plan),
    undoes: undoes === undefined ? undefined : formatTransaction(undoes),
  };
}

/** Larger contents are not compared. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * The diff of file number `index` of a step, or why there is none.
 *
 * @throws {FdError} `outside_root`, `store_corrupt`, and failures of the disk; {@link WriteError} if a backup is
 * incomplete.
 */
export async function stepDiff(
  place: Place & { store: Store },
  transaction: Transaction,
  index: number,
): Promise<{ diff: Uint8Array } | { missing: string }> {
  const file = transaction.begin.files[index]!;
  const after = transaction.after?.[index];
  if (after === undefined) return { missing: "This step wrote nothing." };
  if (Math.max(file.before?.bytes ?? 0, after?.bytes ?? 0) > MAX_BYTES) {
    return { missing: "The file is too large to be compared here." };
  }
  const now = after === null
    ? new Uint8Array(0)
    : await contentAfter(place, transaction.id, file, after.sha256);
  if (now === undefined) {
    const missing =
      "The file was changed since by another program, and the content that this step wrote is kept nowhere.";
    return { missing };
  }
  const { backup, before } = file;
  const old = backup !== null && typeof backup !== "number"
    ? now.subarray(0, backup.prefix_bytes)
    : await oldBytes(place.store, file);
  const name = pathFromHere(file.path, place.cwd);
  return {
    diff: unifiedDiff({ name: before === null ? "/dev/null" : name, bytes: old }, {
      name: after === null ? "/dev/null" : name,
      bytes: now,
    }),
  };
}

/** Bytes of a diff that are shown, unless all are asked for. */
const SHOWN_BYTES = 8000;

/** The most files without a diff that are named. */
const MAX_NOTES = 10;

/** The handle of the newest step. */
export function newestStep(store: Store): string {
  return formatTransaction(highestLogId(store, "tx"));
}

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
      else notes.push(`${name} has no diff: ${found.missing}`);
    } catch (thrown) {
      if (!(thrown instanceof FdError || thrown instanceof WriteError)) throw thrown;
      notes.push(`${name} has no diff (${thrown.failure.kind}).`);
    }
  }
  const diff = joinBytes(diffs);
  const shown = firstLines(diff, mostFiles === Infinity ? Infinity : SHOWN_BYTES);
  const isCut = shown !== diff;
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
  if ((await inspectFile(path, shown, place))?.sha256 === sha256) return wholeFile(path, shown, place);
  for (const later of newestTransactions(place.store)) {
    if (later.id <= id) return undefined;
    const kept = later.begin.files.find((file) => file.path === path && file.before?.sha256 === sha256);
    if (typeof kept?.backup === "number") return await oldBytes(place.store, kept);
  }
  return undefined;
}
