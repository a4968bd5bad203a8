/**
 * Tells lines that only mention a failure from those that report it: source that a report quotes, titles of its parts, an
 * exception during whose handling the one that counts was raised, and what follows from a failure, such as the linker's exit.
 */

/** How many lines down the end of an excerpt, or the next exception, is looked for. */
const REACH = 40;

/** A title between rules, without a count. */
const TITLE = /^[=*#_-]{3,} [^\d]*[=*#_-]{3,}$/;
/** Lines of source behind their numbers, as compilers quote them. */
const NUMBERED = /^\s*\d+ +\|/;
/** Source in a report of pytest: lines are indented or marked; below them is what was raised, or the frame's place. */
const QUOTED = /^(?: {4}|>|\s*$)/;
const FRAME_PLACE = /^\S+\.py:\d+: \w*$/;
/** A line of Python's traces and warnings that has a line of source below it. */
const QUOTES_SOURCE = /^\s*(?:File ".*", line \d+|\S+:\d+: \w*Warning: )/;
/** The start or the end of a trace: `Traceback (most recent call last):`, `shop.errors.RateError: no rate`. */
const RAISED = /^(?:E +)?(?:[A-Za-z_][\w.]*(?::|$)|Traceback )/;
const HANDLING = "During handling of the above exception";
/** A line of a program after another one, whose failure is above. */
const CONSEQUENCE =
  /\bld returned \d+ exit status|\blinker command failed|^(?:g?make|ninja)\b.*(?:\*\*\*|\bError \d)/;

/** The text of a line behind what a log puts before it; undefined if there is none, or it cannot be read. */
type BodyAt = (line: number) => string | undefined;

/** The most that {@link reportedShare} leaves to a line that reports nothing itself. */
export const MENTION_SHARE = 0.25;

/** The share of its weight that a line with a sign of failure keeps: 1 if it reports a failure. */
export function reportedShare(bodyAt: BodyAt, line: number): number {
  const text = bodyAt(line) ?? "";
  // Most lines need none of the patterns, each of which costs more to compile than to look at a char.
  const isRuled = "=*#_-".includes(text[0] ?? " ");
  if (isRuled && TITLE.test(text) || text.includes(HANDLING)) return 0.2;
  if (isSource(bodyAt, line, text)) return MENTION_SHARE;
  // A frame on the way to the failure.
  if (text.endsWith(": ") && FRAME_PLACE.test(text)) return MENTION_SHARE;
  const mayFollow = text.includes("returned") || text.includes("linker") || text.includes("make") ||
    text.startsWith("ninja");
  if (mayFollow && CONSEQUENCE.test(text)) return 0.3;
  return RAISED.test(text) && isHandled(bodyAt, line) ? 0.5 : 1;
}

function isSource(bodyAt: BodyAt, line: number, text: string): boolean {
  const isIndented = text.startsWith("    ") || text.startsWith(">");
  if (text.includes(" |") && NUMBERED.test(text)) return true;
  // As Python quotes the source that the line above names.
  if (text.startsWith("  ") && QUOTES_SOURCE.test(bodyAt(line - 1) ?? "")) return true;
  if (!isIndented) return false;
  for (let below = line + 1; below < line + REACH; below++) {
    const each = bodyAt(below);
    if (each === undefined) return false;
    if (each.startsWith("E   ") || FRAME_PLACE.test(each)) return true;
    if (!QUOTED.test(each)) return false;
  }
  return false;
}

/** Whether another exception was raised while that of a line was handled. */
function isHandled(bodyAt: BodyAt, line: number): boolean {
  for (let below = line + 1; below < line + REACH; below++) {
    const text = bodyAt(below);
    if (text === undefined) return false;
    if (text.includes(HANDLING)) return true;
  }
  return false;
}
