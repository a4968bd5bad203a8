/**
 * `recover` as an answer, and the notice that other commands give while something waits for it (SPEC section 6).
 *
 * @module
 */

import { dropDeadForks } from "../../fd/mod.ts";
import type { InterruptedNotice, RecoverReport } from "../answers.ts";
import { nextCommand } from "../next_command.ts";
import { formatTransaction, type Transaction } from "./journal.ts";
import { openTransactions, recoverTransactions } from "./recover_transactions.ts";
import type { WriteContext } from "./write_context.ts";

/** What `recover` did, and what kept it from ending the rest. */
export interface RecoverOutcome {
  answer: RecoverReport;
  failures: readonly Error[];
}

/** Recovers all that was interrupted, and says what it did. */
export async function recoverAnswer(context: WriteContext, nowMs: number): Promise<RecoverOutcome> {
  const { recoveries, failed } = await recoverTransactions(context.store, context, nowMs);
  const running = openTransactions(context.store, nowMs).filter(({ interrupted }) => !interrupted);
  const sentences = recoveries.map(({ transaction, how, left }) => {
    const untouched = left.length === 0
      ? ""
      : ` Somebody else changed ${left.join(", ")} meanwhile: left as it is.`;
    const state = how === "finished"
      ? "all its files are as it wanted them"
      : "all its files are as they were before it";
    return `${formatTransaction(transaction.id)} was ${how}: ${state}.${untouched}`;
  });
  const deadForks = dropDeadForks(context.store, nowMs);
  if (deadForks > 0) {
    sentences.push(
      `Removed ${deadForks} ${deadForks === 1 ? "store" : "stores"} of forked commands that have ended.`,
    );
  } else if (recoveries.length + failed.length === 0) sentences.push("Nothing was interrupted.");
  if (failed.length > 0) {
    const which = failed.map(({ transaction }) => formatTransaction(transaction.id)).join(", ");
    sentences.push(`Still interrupted, since it could not be ended: ${which}.`);
  }
  if (running.length > 0) {
    const which = running.map(({ transaction }) => formatTransaction(transaction.id)).join(", ");
    sentences.push(`Still running: ${which}.`);
  }
  const answer: RecoverReport = {
    type: "recover_report",
    recovered: recoveries.map(({ transaction, how, left }) => ({
      ...named(transaction),
      how,
      left: [...left],
    })),
    failed: failed.length === 0 ? undefined : failed.map(({ transaction }) => named(transaction)),
    message: sentences.join(" "),
    next: recoveries.length + failed.length === 0 ? undefined : nextCommand(["log"], context.storeOption),
  };
  return { answer, failures: failed.map(({ failure }) => failure) };
}

/** What waits for `recover`; undefined where nothing does. */
export function interruptedNotice(
  { store, storeOption }: Pick<WriteContext, "store" | "storeOption">,
  nowMs: number,
): InterruptedNotice | undefined {
  const interrupted = openTransactions(store, nowMs)
    .filter((open) => open.interrupted)
    .map(({ transaction }) => named(transaction));
  if (interrupted.length === 0) return undefined;
  const which = interrupted.map(({ tx, paths }) => `${tx} (${paths.slice(0, 3).join(", ")}${more(paths)})`);
  return {
    type: "write_notice",
    interrupted,
    message: `${which.join(", ")} ${
      interrupted.length === 1 ? "was" : "were"
    } interrupted: files may hold the old or the new content until it is recovered.`,
    next: nextCommand(["recover"], storeOption),
  };
}

function more(paths: readonly string[]): string {
  return paths.length > 3 ? ` and ${paths.length - 3} more` : "";
}

function named({ id, begin }: Transaction): { tx: string; tool: string; paths: string[] } {
  return { tx: formatTransaction(id), tool: begin.tool, paths: begin.files.map((file) => file.shown) };
}
