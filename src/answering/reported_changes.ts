/**
 * Tells which answers report a change. If stdout cannot take one of them it goes to stderr, so that every journal step,
 * question and fd is reported to the caller.
 */

import type { Answer } from "../terms/answers.ts";

/** Whether `answer` reports a change, so that repeating the call would make another one. */
export function isDone(answer: Answer): boolean {
  switch (answer.type) {
    case "write_result":
      return answer.dry_run !== true;
    case "fd_gc":
      return answer.facts.dry_run !== true;
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

/** Whether `answer` names something that this call stored. */
export function isNews(answer: Answer): boolean {
  return answer.type === "needs_input" || answer.type === "fd_result" || answer.type === "fd_extraction" ||
    isDone(answer);
}
