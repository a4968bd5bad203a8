/** Tells the failures of tests that passed in the end: what an expected failure writes, and the first try of a retried test. */

import { CHECK, CROSS, verdictOf } from "./failure_signs.ts";
import { bodyOf, type Study } from "./studied_lines.ts";

/** Lines above a finding that may name its test, and lines below that may have the verdict. */
const NAMED_ABOVE = 6;
const VERDICT_BELOW = 60;

/** Whether the test that `line` is about passed in the end: the verdict below that names the same, or names nothing. */
export function passedInTheEnd(study: Study, line: number): boolean {
  let last = Math.min(study.totalLines, line + VERDICT_BELOW - 1);
  while (last > line && study.watched?.may(last, "pass") !== true) last--;
  if (last === line) return false;
  const own = new Set<string>();
  for (let above = line; above > line - NAMED_ABOVE; above--) {
    const text = bodyOf(study, above);
    if (text === undefined || above < line && verdictOf(text) !== undefined) break;
    for (const name of namesOf(text)) own.add(name);
  }
  for (let below = line + 1; own.size > 0 && below <= last; below++) {
    const text = bodyOf(study, below);
    if (text === undefined) return false;
    const verdict = verdictOf(text);
    if (verdict === undefined) continue;
    const isBare = /^\W*\w+\W*(?:\d+%?\W*)?$/.test(text);
    if (isBare || namesOf(text).some((name) => own.has(name))) return verdict === "passed";
  }
  return false;
}

/** The identifiers in a line, and the title after a mark, without what differs from one try to the next. */
function namesOf(text: string): string[] {
  // In two steps: a look ahead from each char would be quadratic in a line of one long word.
  const names = (text.match(/[A-Za-z_][\w.:/-]{4,}\w/g) ?? []).filter((name) =>
    /_|::|[a-z][A-Z]/.test(name.slice(1))
  );
  const title = TITLE.exec(text)?.[1]?.replace(/\s*\(.*$/, "");
  return title === undefined ? names : [...names, title];
}

const TITLE = new RegExp(String.raw`^\s*(?:${CHECK}|${CROSS})\s*\d*\s*(\S.*)$`);
