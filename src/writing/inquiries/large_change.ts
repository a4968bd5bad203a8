/**
 * Asks before an edit or plan changes more than half of the lines of a file with ten lines or more (contract,
 * Inquiries): usually a match was meant to be smaller.
 */

import type { NeedsInput, WriteResult } from "../../calls/terms/answers.ts";
import { answerFaults } from "./answer_faults.ts";
import type { Change } from "../commit/commit_changes.ts";
import { ask, type Asking } from "./inquiries.ts";
import { notWritten } from "../commit/report_write.ts";
import { countChangedLines } from "../../findings/comparing/changed_lines.ts";
import { givenAnswer, isAskedAnew, type WriteContext } from "../commit/write_context.ts";
import { refuse } from "../../calls/terms/write_failure.ts";

/** The question's id. */
const LARGE_CHANGE = "large_change";

const MIN_LINES = 10;

/** `setsWhole`: by an empty old_string, which may have been meant as an insertion, so a file of any size counts. */
type AskedChange = Change & { setsWhole?: boolean };

/**
 * Asks about `changes`, without those that are meant to set the whole content; `request` is the call to repeat with the answer. Returns the
 * question, or the outcome if the answer was no; undefined if no change is large, or the answer or the call says yes.
 */
export function askAboutLargeChange(
  context: WriteContext,
  { tool, request, changes }: Pick<Asking, "tool" | "request"> & { changes: readonly AskedChange[] },
): WriteResult | NeedsInput | undefined {
  if (request["yes"] === true || request["dry_run"] === true) return undefined;
  const large: string[] = [];
  const all: string[] = [];
  for (const change of changes) {
    if (change.target.file === undefined) {
      all.push(`creates ${change.target.path}`);
      continue;
    }
    const { removedCount, oldLineCount } = countChangedLines(change.target.before, change.content);
    const whole = change.setsWhole === true ? "replaces the whole content (old_string is empty): it " : "";
    const described = `${whole}changes ${removedCount} of ${oldLineCount} lines in ${change.target.path}`;
    all.push(described);
    const minLines = change.setsWhole === true ? 1 : MIN_LINES;
    if (oldLineCount >= minLines && removedCount * 2 > oldLineCount) large.push(described);
  }
  const targets = changes.map((change) => change.target);
  // The yes was about another state of the files, so it does not count, however small the change is now.
  const isStale = isAskedAnew(context, targets) && context.answers[LARGE_CHANGE] !== undefined;
  if (large.length === 0 && !isStale) return undefined;
  const given = givenAnswer(context, LARGE_CHANGE, targets);
  if (given !== undefined) {
    const faults = answerFaults(given, "Boolean");
    if (faults.length > 0) refuse({ kind: "invalid_answer", inquiry: LARGE_CHANGE, faults });
    if (given === true) return undefined;
    return notWritten(targets[0]!, `the answer to ${LARGE_CHANGE} was no`);
  }
  return ask(context, {
    tool,
    question: {
      id: LARGE_CHANGE,
      text: `This ${inOneSentence(isStale ? all : large)}. Continue?`,
      answer_type: "Boolean",
      default: false,
    },
    request,
    carriesContent: true,
    targets,
  });
}

/** "changes 6 of 10 lines in a, changes 11 of 20 lines in b and creates c". */
function inOneSentence(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}
