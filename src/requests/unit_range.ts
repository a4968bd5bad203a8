/**
 * Ranges of lines, pages or chars as they are written: `A-B` (also with a comma or a colon), `A-` (to the end) or `A`.
 */

import { hugeDecimal, parseDecimal } from "../../fd/mod.ts";

/** How a range is asked for. */
export const RANGE_WANTED = "A-B with A no greater than B, A- (to the end) or A";

/** The place of the first dash, comma or colon, or -1. A loop: the first regular expression of a small call costs more. */
function separatorAt(range: string): number {
  for (let at = 0; at < range.length; at++) {
    const char = range[at];
    if (char === "-" || char === "," || char === ":") return at;
  }
  return -1;
}

/** The range that `written` names; undefined if it names none. */
export function parseRange(written: string): { start: number; count: number } | undefined {
  const range = written.trim();
  const dash = separatorAt(range);
  const begin = dash === -1 ? range : range.slice(0, dash);
  const start = parseDecimal(begin) ?? hugeDecimal(begin);
  const end = range.slice(dash + 1);
  const last = dash === -1 ? start : end === "" ? Infinity : parseDecimal(end) ?? hugeDecimal(end);
  if (start === undefined || last === undefined || last < start) return undefined;
  return { start, count: Math.min(last - start + 1, Number.MAX_SAFE_INTEGER) };
}
