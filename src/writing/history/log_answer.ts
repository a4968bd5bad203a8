/**
 * The journal as an answer: its newest steps, newest last (contract, Writing files). Walks from the newest to the
 * oldest, to know which steps were undone, and no further than needed.
 */

import { formatFd, highestLogId } from "../../../fd/mod.ts";
import type { WriteLog } from "../../terms/answers.ts";
import { firstFew } from "../../answering/first_few.ts";
import type { Message } from "../../terms/next_call.ts";
import { inSentences } from "../../answering/next_command.ts";
import {
  findTransaction,
  formatTransaction,
  newestTransactions,
  stepPaths,
  type Transaction,
} from "../commit/journal.ts";
import { isInterrupted } from "./recover_transactions.ts";
import { pathsFromHere } from "../commit/resolve_path.ts";
import { showWhole } from "../commit/show_step.ts";
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
  const undone = new Set<number>();
  /** The newest step with more paths than are shown. */
  let cutId: number | undefined;
  const lost: string[] = [];
  const onLost = (id: number, what: string) => lost.push(`The record of ${formatTransaction(id)} ${what}.`);
  for (const transaction of newestTransactions(store, onLost)) {
    if (steps.length >= limit) break;
    const step = stepOf(transaction, stepState(transaction, undone, nowMs), MAX_PATHS, cwd);
    if (step.more_paths !== undefined) cutId ??= transaction.id;
    steps.push(step);
  }
  steps.reverse();
  const isWhole = steps.length >= total || limit === Infinity;
  const showsCut = cutId === undefined ? undefined : showWhole(cutId);
  const sentences: Message[] = [
    ...(total === 0 ? ["Nothing was written yet."] : []),
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
  const undone = new Set<number>();
  for (const transaction of newestTransactions(store)) {
    const state = stepState(transaction, undone, nowMs);
    if (transaction.id !== wanted.id) continue;
    const left = firstFew(
      pathsFromHere(wanted.outcome?.left ?? [], cwd),
      mostPaths,
    );
    const step = stepOf(transaction, state, mostPaths, cwd);
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

/** The state of a step, on a walk from the newest to the oldest: `undone` collects the steps that newer ones undid. */
function stepState(transaction: Transaction, undone: Set<number>, nowMs: number): LoggedStep["state"] {
  const { id, begin, outcome } = transaction;
  const isUndone = undone.has(id);
  // An undo that was itself undone leaves its step in effect.
  if (begin.undoes !== undefined && outcome?.kind === "done" && !isUndone) undone.add(begin.undoes);
  if (isUndone) return "undone";
  if (outcome === undefined) return isInterrupted(transaction, nowMs) ? "interrupted" : "running";
  if (outcome.kind === "rolled_back") return "rolled back";
  return outcome.recovered ? "recovered" : "done";
}

function stepOf(
  transaction: Transaction,
  state: LoggedStep["state"],
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
  const afterBytes = after?.map((each) => each?.bytes ?? 0);
  return {
    tx: formatTransaction(id),
    at: new Date(begin.at).toISOString(),
    tool,
    intent,
    state,
    paths: paths.shown,
    more_paths: paths.more,
    bytes_before: sum(files.map((file) => file.before?.bytes ?? 0)),
    bytes_after: afterBytes === undefined ? undefined : sum(afterBytes),
    backups: backups.shown,
    more_backups: backups.more,
    plan_fd: plan === undefined ? undefined : formatFd(plan),
    undoes: undoes === undefined ? undefined : formatTransaction(undoes),
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
