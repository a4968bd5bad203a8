/** Tells the failures of tests that passed in the end: what an expected failure writes, and the first try of a retried test. */

import { CHECK, CROSS, verdictOf } from "./failure_signs.ts";
import { bodyOf, type Study } from "./studied_lines.ts";

/** Lines above a finding that may name its test, and lines below that may have the verdict. */
const NAMED_ABOVE = 6;
const VERDICT_BELOW = 60;
/** Chars of a line in which names are looked for. */
const MAX_NAMED_CHARS = 65_536;

/** Whether the test that `line` is about passed in the end: the verdict below that names the same, or names nothing. */
export function passedInTheEnd(study: Study, line: number): boolean {
  const passing: number[] = [];
  for (let below = line + 1; below < line + VERDICT_BELOW && below <= study.totalLines; below++) {
    if (study.watched?.mayPass(below) === true) passing.push(below);
  }
  if (passing.length === 0) return false;
  const own = new Set<string>();
  for (let above = line; above > line - NAMED_ABOVE; above--) {
    const text = bodyOf(study, above);
    if (text === undefined || above < line && verdictOf(text) !== undefined) break;
    for (const name of namesOf(text)) own.add(name);
  }
  if (own.size === 0) return false;
  const isAbout = (below: number, verdict: "passed" | "failed") => {
    const text = bodyOf(study, below) ?? "";
    if (verdictOf(text) !== verdict) return false;
    return /^\W*\w+\W*(?:\d+%?\W*)?$/.test(text) || namesOf(text).some((name) => own.has(name));
  };
  const passed = passing.find((below) => isAbout(below, "passed"));
  if (passed === undefined) return false;
  for (let below = line + 1; below < passed; below++) if (isAbout(below, "failed")) return false;
  return true;
}

/** The identifiers in a line, and the title after a mark, without what differs from one try to the next. */
function namesOf(line: string): string[] {
  const text = line.slice(0, MAX_NAMED_CHARS);
  // In two steps: a look ahead from each char would be quadratic in a line of one long word.
  const names = (text.match(/[A-Za-z_][\w.:/-]{4,}\w/g) ?? []).filter((name) =>
    /_|::|[a-z][A-Z]/.test(name.slice(1))
  );
  titled ??= new RegExp(String.raw`^\s*(?:${CHECK}|${CROSS})\s*\d*\s*(\S.*)$`);
  const title = titled.exec(text)?.[1]?.replace(/\s*\(.*$/, "");
  return title === undefined ? names : [...names, title];
}

let titled: RegExp | undefined;
