/**
 * Tells which answers report a change. If stdout cannot take one of them it goes to stderr, so that every journal step,
 * question and fd is reported to the caller.
 */

import type { Answer } from "../../calls/terms/answers.ts";

/** Whether `answer` reports a change, so that repeating the call would make another one. */
export function isDone(answer: Answer): boolean {
  if (answer.type === "write_result") return answer.dry_run !== true;
  if (answer.type === "fd_gc") return answer.facts.dry_run !== true;
  return CHANGES.includes(answer.type) || answer.type === "pass_through" && answer.isDone === true;
}

const CHANGES: readonly Answer["type"][] = [
  "fd_file_result",
  "fd_removed",
  "ref_bound",
  "fd_import",
  "fd_export",
  "recover_report",
];

/** Whether `answer` names something that this call stored. */
export function isNews(answer: Answer): boolean {
  return answer.type === "needs_input" || answer.type === "fd_result" || answer.type === "fd_extraction" ||
    isDone(answer);
}
