/**
 * Which answers report something that was done: if standard output cannot take one, it goes to standard error, so that no
 * step of the journal, question or fd is there that nobody was told of.
 *
 * @module
 */

import type { Answer } from "../terms/answers.ts";

/** The exit code of a command that did what it was asked to, and could not print its answer. */
export const DONE_UNTOLD = 4;

/** How the help of a command that changes something lists it. */
export const doneUntold: readonly [number, string] = [
  DONE_UNTOLD,
  "done, but stdout could not be written; the answer is on stderr",
];

/** Whether `answer` says that something was changed or removed, so that the same call again would be another change. */
export function isDone(answer: Answer): boolean {
  switch (answer.type) {
    case "write_result":
      return answer.dry_run !== true;
    case "fd_gc":
      return answer.facts["dry_run"] !== true;
    case "fd_file_result":
    case "fd_removed":
    case "ref_bound":
    case "fd_import":
    case "fd_export":
    case "recover_report":
      return true;
    case "pass_through":
      return answer.isDone === true;
    default:
      return false;
  }
}

/** Whether `answer` names what is in the store only since this call. */
export function isNews(answer: Answer): boolean {
  return answer.type === "needs_input" || answer.type === "fd_result" || answer.type === "fd_extraction" ||
    isDone(answer);
}
