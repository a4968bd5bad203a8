/**
 * `recover` as an answer, and the notice of other commands while something needs it (contract, Writing files).
 */

import { counted } from "../../answers/parts/grouped_digits.ts";
import { dropDeadForks, takeBackImports } from "../../../fd/mod.ts";
import type { InterruptedNotice, NamedStep, RecoverReport } from "../../calls/terms/answers.ts";
import { firstFew, listFew } from "../../answers/parts/first_few.ts";
import type { Message } from "../../calls/terms/next_call.ts";
import { inSentences } from "../../answers/parts/next_command.ts";
import { formatTransaction, showWhole, stepPaths, type Transaction } from "../commit/journal.ts";
import { openTransactions, recoverTransactions } from "./recover_transactions.ts";
import { pathsFromHere } from "../commit/resolve_path.ts";
import type { WriteContext } from "../commit/write_context.ts";

/** The most paths of a step that are named. */
const MAX_PATHS = 3;
/** The most interrupted steps in the notice of another command. */
const MAX_REPORTED = 3;
/** The most steps that `recover` names. */
const MAX_RECOVERED = 20;

/** Recovers everything that was interrupted. Returns the answer, and the failures that left steps open. */
export async function recoverAnswer(context: WriteContext, nowMs: number) {
  const { cwd } = context;
  const fromHere = (paths: readonly string[]) => pathsFromHere(paths, cwd);
  const { recoveries, failed } = await recoverTransactions(context.store, context, nowMs);
  const running = openTransactions(context.store, nowMs).filter(({ interrupted }) => !interrupted);
  const { shown, more } = firstFew(recoveries, MAX_RECOVERED);
  const sentences: Message[] = shown.map(({ transaction, how, left }) => {
    const where = left.length > MAX_PATHS ? [" (", showWhole(transaction.id), " shows all)"] : [];
    const untouched = left.length === 0 ? [] : [
      ` Not changed, since modified after the interruption: ${listFew(fromHere(left), MAX_PATHS)}`,
      ...where,
      ".",
    ];
    const state = how === "finished" ? "new" : "old";
    return [
      `${formatTransaction(transaction.id)} was ${how}: all its files have the ${state} content.`,
      ...untouched,
    ];
  });
  if (more !== undefined) sentences.push(`${more} more steps were recovered.`);
  const imports = await takeBackImports(context.store, nowMs);
  if (imports > 0) sentences.push(`Removed the fds of ${counted(imports, "interrupted import")}.`);
  const deadForks = dropDeadForks(context.store, nowMs);
  if (deadForks > 0) {
    sentences.push(`Removed ${counted(deadForks, "store")} of finished forked commands.`);
  }
  if (sentences.length + failed.length === 0) sentences.push("Nothing to recover.");
  if (failed.length > 0) {
    sentences.push(`Could not be recovered: ${listSteps(failed)}.`);
  }
  if (running.length > 0) {
    sentences.push(`Still running: ${listSteps(running.map(({ transaction }) => transaction))}.`);
  }
  const fewFailed = firstFew(failed, MAX_RECOVERED);
  const answer: RecoverReport = {
    type: "recover_report",
    recovered: shown.map(({ transaction, how, left }) => {
      const few = firstFew(left, MAX_PATHS);
      return { ...named(transaction, cwd), how, left: fromHere(few.shown), more_left: few.more };
    }),
    more_recovered: more,
    failed: failed.length === 0
      ? undefined
      : fewFailed.shown.flatMap(({ transaction }) =>
        transaction === undefined ? [] : [named(transaction, cwd)]
      ),
    more_failed: fewFailed.more,
    message: inSentences(sentences),
    next: recoveries.length + failed.length === 0 ? undefined : { command: "log", args: {} },
  };
  return { answer, failures: fewFailed.shown.map(({ failure }) => failure) };
}

function listSteps(steps: readonly { id: number }[]): string {
  return listFew(steps.map(({ id }) => formatTransaction(id)), MAX_RECOVERED);
}

/** The notice if something needs `recover`; undefined if nothing does. */
export function interruptedNotice(
  { store, cwd }: Pick<WriteContext, "store" | "cwd">,
  nowMs: number,
): InterruptedNotice | undefined {
  const interrupted = openTransactions(store, nowMs)
    .filter((open) => open.interrupted)
    .map(({ transaction }) => transaction);
  if (interrupted.length === 0) return undefined;
  const which = interrupted.map(({ id, begin }) =>
    `${formatTransaction(id)} (${listFew(stepPaths(begin.files, cwd), MAX_PATHS)})`
  );
  const { shown, more } = firstFew(interrupted, MAX_REPORTED);
  const cut = shown.filter(({ begin }) => begin.files.length > MAX_PATHS);
  const shows: Message[] = more === undefined
    ? cut.map(({ id }) => [showWhole(id), ` lists all files of ${formatTransaction(id)}.`])
    : [[{ command: "log", args: { all: true } }, " lists all steps."]];
  return {
    type: "write_notice",
    interrupted: shown.map((transaction) => named(transaction, cwd)),
    more_interrupted: more,
    message: inSentences([
      `${listFew(which, MAX_REPORTED)} ${
        interrupted.length === 1 ? "was" : "were"
      } interrupted: files may have the old or the new content until it is recovered.`,
      ...shows,
    ]),
    next: { command: "recover", args: {} },
  };
}

function named({ id, begin }: Transaction, cwd: string): NamedStep {
  const { shown, more } = firstFew(begin.files, MAX_PATHS);
  return {
    tx: formatTransaction(id),
    tool: begin.tool,
    paths: stepPaths(shown, cwd),
    more_paths: more,
  };
}
