/** Words for the first difference of two texts: what cannot be seen is named, and of a long line the part around it is shown. */

import { counted } from "../../answers/parts/grouped_digits.ts";
import { visibleJson } from "../../calls/terms/control_chars.ts";
import { SPACES } from "./loose_match.ts";

/** UTF-16 units: longer lines are shown in part. */
export const LONG_LINE = 200;
const BEFORE = 60;

const SPACE = new RegExp(`[\\r\\n${SPACES}]`);
const NAMES = new Map([
  [" ", "space"],
  ["\t", "tab"],
  ["\n", "LF"],
  ["\r", "CR"],
  ["\u00a0", "no-break space"],
  ["\u200b", "zero-width space"],
  ["\ufeff", "byte order mark"],
]);

/** The line that has the unit at `at`, from its start to its LF. */
export function lineSpan(text: string, at: number): { start: number; end: number } {
  // `lastIndexOf` takes -1 for 0.
  const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
  const feed = text.indexOf("\n", at);
  return { start, end: feed === -1 ? text.length : feed };
}

/** The number of the line that has the unit at `at`, from 1. */
export function lineNumberAt(text: string, at: number): number {
  let lineNumber = 1;
  for (let feed = text.indexOf("\n"); feed !== -1 && feed < at; feed = text.indexOf("\n", feed + 1)) {
    lineNumber++;
  }
  return lineNumber;
}

/** The line of `text` that has the unit at `at`; of a long one the part around it. */
export function lineAround(text: string, at: number): string {
  const { start, end } = lineSpan(text, at);
  if (end - start <= LONG_LINE) return text.slice(start, end).replace(/\r$/, "");
  const from = Math.max(start, at - BEFORE);
  const to = Math.min(end, from + LONG_LINE);
  return (from > start ? "…" : "") + text.slice(from, to).toWellFormed() + (to < end ? "…" : "");
}

/** The offset at which two texts begin to differ; in a run of white space, its start. */
export function differenceAt(file: string, given: string): number {
  let at = 0;
  while (at < file.length && file[at] === given[at]) at++;
  const isSpace = SPACE.test(file.charAt(at)) || SPACE.test(given.charAt(at));
  // What is before the line matters only if a line end itself differs.
  const isLineEnd = file[at] === "\n" || given[at] === "\n";
  if (isSpace) { while (at > 0 && SPACE.test(file[at - 1]!) && (isLineEnd || file[at - 1] !== "\n")) at--; }
  else while (at > 0 && /[\p{M}\udc00-\udfff]/u.test(file.charAt(at) + given.charAt(at))) at--;
  return at;
}

/**
 * `the file has "\tx" (1 tab), old_string "  x" (2 spaces)`.
 *
 * ```ts
 * import { differenceWords } from "./text_difference.ts";
 * import { assertEquals } from "@std/assert";
 * const words = differenceWords("a\n\tb", "a\n  b", "old_string");
 * assertEquals(words, 'the file has "\\tb" (1 tab), old_string "  b" (2 spaces)');
 * ```
 */
export function differenceWords(file: string, given: string, name: string): string {
  const at = differenceAt(file, given);
  const shown = (text: string) => `${visibleJson(lineAround(text, at))}${named(text, at)}`;
  return `the file has ${shown(file)}, ${name} ${shown(given)}`;
}

/** In brackets, the white space or odd char at `at`; empty for a char that can be seen. */
function named(text: string, at: number): string {
  const rest = text.slice(at, at + LONG_LINE);
  const run = new RegExp(`^[\\r\\n${SPACES}]+`).exec(rest)?.[0];
  const chars = run ?? /^\P{M}\p{M}*/u.exec(rest)?.[0] ?? "";
  if (run === undefined && /^[\x20-\x7e]?$/.test(chars)) return "";
  const groups = run?.match(/\r\n|(.)\1*|\n+|\r+/g) ?? [chars];
  return ` (${
    groups.map((group) => run === undefined ? codePoints(group) : spaceName(group)).join(" and ")
  })`;
}

function spaceName(group: string): string {
  if (group === "\r\n") return "CRLF";
  const [char = ""] = group;
  const name = NAMES.get(char);
  if (name !== undefined && char <= " ") return counted(group.length, name);
  return codePoints(char) + (name === undefined ? "" : `, ${name}`) +
    (group.length > 1 ? `, ${group.length} times` : "");
}

function codePoints(text: string): string {
  const points = [...text].map((char) => char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0"));
  return points.map((point) => `U+${point}`).join(" ") + (text === text.normalize("NFC") ? "" : ", NFD");
}
