/**
 * Tells lines that only mention a failure from those that report it: source that a report quotes, titles of its parts, an
 * exception during whose handling the one that counts was raised, and what follows from a failure, such as the linker's exit.
 */

import { bodyOf, type Study } from "./studied_lines.ts";

/** How many lines down the end of an excerpt, or the next exception, is looked for. */
const REACH = 40;

/** A title between rules, without a count. */
const TITLE = /^[=*#_-]{3,} [^\d]*[=*#_-]{3,}$/;
/** A line of totals between rules, behind the failures that it counts. */
const TOTALS = /^[=*-]{3,} .*\b\d+ (?:failed|errors?)\b.* [=*-]{3,}$/;
/** A line of documentation on errors: `:raises ValueError: if …`, `@throws IOException`. */
const DOCUMENTED =
  /^\s*(?:\*\s*)?(?::(?:raises?|exc|except|exception|param|returns?)\b|@(?:throws|exception|param|raises?)\b)/;
/** Lines of source behind their numbers, as compilers quote them. */
const NUMBERED = /^\s*\d+ +\|/;
/** Source in a report of pytest: lines are indented or marked; below them is what was raised. */
const QUOTED = /^(?: {4}|>|\s*$)/;
const RAISED = /^E {3}/;
const PLACE_IN_TRACE = /^\s*File ".*", line \d+/;
const NEXT_EXCEPTION = /^(?:E\s+)?During handling of the above exception/;
/** A line of a program after another one, whose failure is above. */
const CONSEQUENCE =
  /\bld returned \d+ exit status|\blinker command failed|^(?:g?make|ninja)\b.*(?:\*\*\*|\bError \d)/;

/** The share of its weight that a line with a sign of failure keeps: 1 if it reports a failure. */
export function reportedShare(study: Study, line: number): number {
  const text = bodyOf(study, line) ?? "";
  if (TITLE.test(text) || NEXT_EXCEPTION.test(text)) return 0.2;
  if (DOCUMENTED.test(text) || isSource(study, line, text)) return 0.25;
  if (CONSEQUENCE.test(text)) return 0.3;
  if (TOTALS.test(text)) return 0.8;
  return isHandled(study, line) ? 0.5 : 1;
}

function isSource(study: Study, line: number, text: string): boolean {
  if (NUMBERED.test(text)) return true;
  if (!QUOTED.test(text)) return false;
  if (PLACE_IN_TRACE.test(bodyOf(study, line - 1) ?? "")) return true;
  for (let below = line + 1; below < line + REACH; below++) {
    const each = bodyOf(study, below);
    if (each === undefined) return false;
    if (RAISED.test(each)) return true;
    if (!QUOTED.test(each)) return false;
  }
  return false;
}

/** Whether another exception was raised while that of a line was handled. */
function isHandled(study: Study, line: number): boolean {
  for (let below = line + 1; below < line + REACH; below++) {
    const text = bodyOf(study, below);
    if (text === undefined) return false;
    if (NEXT_EXCEPTION.test(text)) return true;
  }
  return false;
}
