/** Finds what a log or a supervisor puts before each line of the output of another tool. */

import { isSign, verdictOf } from "./failure_signs.ts";
import { LAYOUT } from "./line_layout.ts";

/** With fewer lines, nothing is known of most; and the share of the lines that must have the prefix. */
const MIN_LINES = 8;
const MIN_SHARE = 0.9;
/** Ends of prefixes: `[billing] `, `web  | `, `shop:test: `, or a column. */
const ENDS = /[\]|:] |\t/g;
/** Marks of what passed or failed are not in it. */
const PLAIN = /^(?=.*\w)[\w\s.:/@#|[\]()-]+$/;
const ALIGNED_NUMBER = /^\s+\d/;
/** The place of a message, its level, or a number that may be a measure. */
const PART_OF_MESSAGE = /[A-Za-z_)]:0|\b(?:info|debug|trace|notice)\b|(?:^|\s)0[0.,]*[KMGTP%]?\s/i;

/**
 * The longest start, with a 0 for any digit, that nearly all of the lines have. What says that something failed or passed, or
 * where, is not part of it. Lines have one char a byte.
 */
export function commonPrefix(lines: readonly string[]): string {
  if (lines.length < MIN_LINES) return "";
  const counts = new Map<string, number>();
  for (const line of lines) {
    const start = line.slice(0, LAYOUT.MAX_PREFIX);
    while (ENDS.test(start)) {
      // A number in a column is what the line says.
      if (ALIGNED_NUMBER.test(line.slice(ENDS.lastIndex))) continue;
      const prefix = line.slice(0, ENDS.lastIndex).replace(/\d/g, "0");
      counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    }
  }
  let common = "";
  for (const [prefix, count] of counts) {
    if (count < lines.length * MIN_SHARE || prefix.length <= common.length) continue;
    if (isBeforeMessage(prefix)) common = prefix;
  }
  return common;
}

function isBeforeMessage(prefix: string): boolean {
  const words = prefix.toLowerCase().match(/[a-z]+/g) ?? [];
  return PLAIN.test(prefix) && !PART_OF_MESSAGE.test(prefix) && verdictOf(prefix) === undefined &&
    !words.some(isSign);
}
