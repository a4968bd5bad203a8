/** Whether an answer shows a fact, and what plain cuts of the same output would have shown. */

import type { Fact } from "./corpus_case.ts";

/** CSI, OSC and other string sequences, and the two-byte escapes of ECMA-48. */
// deno-lint-ignore no-control-regex
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)|[ -/]*[0-~])/g;

/** Text as a terminal leaves it, as far as facts need it: without escape sequences, CRLF and redrawn parts of lines. */
export function clean(text: string): string {
  return text.replace(ESCAPES, "").split("\n").map((line) => {
    const shown = line.replace(/\r+$/, "");
    return shown.slice(shown.lastIndexOf("\r") + 1);
  }).join("\n");
}

/** The code units of `text` before a fact; -1 if it is not in it. */
export function placeOf(fact: Fact, text: string): number {
  return typeof fact === "string" ? text.indexOf(fact) : text.search(fact);
}

/** The facts that `answer` shows. */
export function shownFacts(answer: string, facts: readonly Fact[]): Fact[] {
  const seen = clean(answer);
  return facts.filter((fact) => placeOf(fact, seen) !== -1 || placeOf(fact, answer) !== -1);
}

export function showsAll(answer: string, facts: readonly Fact[]): boolean {
  return shownFacts(answer, facts).length === facts.length;
}

/** The first `headCount` and the last `tailCount` chars, with a note between them; text that fits is whole. */
export function cut(text: string, headCount: number, tailCount: number): string {
  const chars = Array.from(text);
  if (chars.length <= headCount + tailCount) return text;
  const left = chars.length - headCount - tailCount;
  const tail = tailCount === 0 ? "" : chars.slice(-tailCount).join("");
  return `${chars.slice(0, headCount).join("")}\n… ${left} chars left out …\n${tail}`;
}

export function charCount(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The command that an answer names as the next: in its own tag, or in an attribute of the first. */
export function nextCommand(answer: string): string | undefined {
  const found = /^ {2}<next>(.*)<\/next>$/m.exec(answer) ?? /^<fd_\w+ [^\n]* next="([^"\n]*)">/.exec(answer);
  return found?.[1]?.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, `"`)
    .replace(/&apos;/g, "'").replace(/&amp;/g, "&");
}
