/**
 * The journal as an answer: its newest steps, newest last (SPEC section 6, log). A step that a later one took back is told
 * as undone, so the walk goes from the newest to the oldest and no further than it must.
 *
 * @module
 */

import { formatFd, highestLogId, type Store } from "../../fd/mod.ts";
import type { WriteLog } from "../answers.ts";
import { nextCommand } from "../next_command.ts";
import { formatTransaction, newestTransactions, type Transaction } from "./journal.ts";
import { isInterrupted } from "./recover_transactions.ts";

/** How many steps are told where the caller does not say. */
export const DEFAULT_LOG_LIMIT = 20;

type LoggedStep = WriteLog["steps"][number];

/** The newest `limit` steps (Infinity for all). `storeOption` is repeated in the next command. */
export function logAnswer(
  store: Store,
  limit: number,
  storeOption: string | undefined,
  nowMs: number,
): WriteLog {
  const total = highestLogId(store, "tx");
  const steps: LoggedStep[] = [];
  const undone = new Set<number>();
  for (const transaction of newestTransactions(store)) {
    if (steps.length >= limit) break;
    steps.push(stepOf(transaction, stepState(transaction, undone, nowMs)));
  }
  steps.reverse();
  const isWhole = steps.length >= total || limit === Infinity;
  return {
    type: "write_log",
    total,
    message: total === 0
      ? "Nothing was written yet."
      : isWhole
      ? undefined
      : `Showing the newest ${steps.length} of ${total} steps.`,
    next: isWhole ? undefined : nextCommand(["log", "--all"], storeOption),
    steps,
  };
}

/**
 * What became of a step, on a walk from the newest to the oldest: `undone` gathers the steps that newer ones took back.
 */
export function stepState(transaction: Transaction, undone: Set<number>, nowMs: number): LoggedStep["state"] {
  const { id, begin, outcome } = transaction;
  const isUndone = undone.has(id);
  // An undo that was itself undone leaves its step in effect.
  if (begin.undoes !== undefined && outcome?.kind === "done" && !isUndone) undone.add(begin.undoes);
  if (isUndone) return "undone";
  if (outcome === undefined) return isInterrupted(transaction, nowMs) ? "interrupted" : "running";
  if (outcome.kind === "rolled_back") return "rolled back";
  return outcome.recovered ? "recovered" : "done";
}

function stepOf(transaction: Transaction, state: LoggedStep["state"]): LoggedStep {
  const { id, begin, after } = transaction;
  const { files, tool, intent, undoes, plan } = begin;
  const afterBytes = after?.map((each) => each?.bytes ?? 0);
  return {
    tx: formatTransaction(id),
    at: new Date(begin.at).toISOString(),
    tool,
    intent,
    state,
    paths: files.map((file) => file.shown),
    bytes_before: sum(files.map((file) => file.before?.bytes ?? 0)),
    bytes_after: afterBytes === undefined ? undefined : sum(afterBytes),
    backups: files.flatMap(({ backup }) => typeof backup === "number" ? [formatFd(backup)] : []),
    plan_fd: plan === undefined ? undefined : formatFd(plan),
    undoes: undoes === undefined ? undefined : formatTransaction(undoes),
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
