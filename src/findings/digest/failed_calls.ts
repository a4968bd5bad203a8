/** Finds the calls in a trace of system calls that failed and were not a search: most failures in one only look for a file. */

import { bodyOf, type Study, textOf } from "./studied_lines.ts";

const CALL = /^(?:\[pid +\d+\] |\d+ +)?(?:[\d:.]+ )?(\w+)\(/;
const RESULT = /\) += (?:-?\d|0x|\?)/;
const FAILED = /\) += -1 (E[A-Z]+) /;
/** Calls that look for a file, and errors that programs expect. */
const SEARCH =
  /^(?:open|openat|f?access|faccessat2?|l?stat|stat64|newfstatat|statx|readlink|readlinkat|execve)$/;
const EXPECTED = /^E(?:AGAIN|INTR|NOTTY|CHILD|INPROGRESS)$/;
/** How many of the first lines must be calls. */
const MIN_CALLS = 3;
const MAX_FIRST = 32;
/** Lines that are looked at, how often a call may fail alike to be odd, and the most that are. */
const MAX_LINES = 20_000;
const MAX_ALIKE = 3;
const MAX_FAILED = 6;

/** The lines of such calls, ascending; none of other content. */
export function failedCalls(study: Study): number[] {
  // The body is found only of a line that may be a call.
  const hasResult = (text = "") => RESULT.test(text);
  const first = Array.from({ length: MAX_FIRST }, (_, at) => at + 1)
    .filter((line) => hasResult(textOf(study, line)) && CALL.test(bodyOf(study, line)!));
  if (first.length < MIN_CALLS) return [];
  const failed = new Map<string, number[]>();
  for (let line = 1; line <= Math.min(study.totalLines, MAX_LINES); line++) {
    const text = bodyOf(study, line) ?? "";
    const [, call = ""] = CALL.exec(text) ?? [];
    const [, error] = FAILED.exec(text) ?? [];
    if (error === undefined || EXPECTED.test(error) || error === "ENOENT" && SEARCH.test(call)) continue;
    const key = `${call} ${error}`;
    failed.set(key, [...failed.get(key) ?? [], line]);
  }
  const rare = [...failed.values()].filter((lines) => lines.length <= MAX_ALIKE);
  return rare.map(([first]) => first!).sort((one, other) => one - other).slice(0, MAX_FAILED);
}
