/** Outlines JSON: one value, several, or a value a line. */

import { groupedDigits } from "../../answers/parts/grouped_digits.ts";
import {
  type ContentOutline,
  latin1Of,
  lineStart,
  MANY_LINES,
  OUTLINED_BYTES,
  type OutlinedContent,
} from "./outlined_content.ts";
import { clip } from "./describe_paths.ts";
import { JsonPaths, step, wholeSteps } from "./json_paths.ts";
import { markLength, startsWithLines } from "./known_starts.ts";
import { ARRAY, foldDictionaries, OBJECT, type PathNode } from "./path_node.ts";
import { JsonScan } from "./scan_json.ts";
import { countsOf, JSON_PATHS_CHARS, oneLine, pathLines, sliceOf } from "./outline_paths.ts";
import type { ShownOddities } from "./show_oddities.ts";

/** A smaller part says nothing about the rest of the content. */
const MIN_BYTES = 64;

/** Outlines content that looks like JSON, in at most about `budgetChars`. Returns undefined if it is not JSON. */
export function outlineJson(content: OutlinedContent, budgetChars: number): ContentOutline | undefined {
  const paths = new JsonPaths();
  const firstBytes = content.read(0, FIRST_BYTES);
  const startsAt = markLength(firstBytes);
  const scan = new JsonScan(paths, startsAt, startsWithLines(latin1Of(firstBytes)));
  for (const piece of content.pieces(startsAt, OUTLINED_BYTES)) if (!scan.take(piece) || isOther(scan)) break;
  const isWhole = content.byteCount <= OUTLINED_BYTES;
  if (isWhole) scan.end();
  else if (scan.isByLine) paths.abandon();
  if (isOther(scan) || !saysEnough(scan, content, isWhole)) return undefined;
  return outlineOf(paths, scan, content, isWhole, budgetChars);
}

/** How many of the first bytes decide whether values have lines of their own. */
const FIRST_BYTES = 4096;

/** Whether too many lines are not JSON. */
function isOther({ otherLineCount, valueCount }: JsonScan): boolean {
  return otherLineCount > 3 && otherLineCount * 4 > valueCount;
}

/** Whether enough of the content is JSON to call it that. */
function saysEnough(scan: JsonScan, content: OutlinedContent, isWhole: boolean): boolean {
  const { fault, valueCount, otherLineCount } = scan;
  // The time before each line of a log, such as `[88121.221131]`, is a list.
  if (otherLineCount * 2 > content.lineCount) return false;
  if (fault === undefined) return valueCount > 0 || !isWhole;
  return fault.byteOffset >= Math.max(MIN_BYTES, content.byteCount / 20);
}

function outlineOf(
  paths: JsonPaths,
  scan: JsonScan,
  content: OutlinedContent,
  isWhole: boolean,
  budgetChars: number,
): ContentOutline {
  const { root } = paths;
  foldDictionaries(root);
  const { lines, shown } = pathLines(root, content, budgetChars, withoutSpace, JSON_PATHS_CHARS);
  lines.unshift(heading(paths, scan, content, isWhole));
  for (const { byteOffset, what } of scan.otherLines) {
    lines.push(
      `not JSON: line ${groupedDigits(content.lineAt(byteOffset))} (${what})${
        content.lineCount >= MANY_LINES ? "" : `: ${clip(oneLine(lineStart(content, byteOffset)), 200)}`
      }`,
    );
  }
  const more = scan.otherLineCount - scan.otherLines.length;
  if (more > 0) lines.push(`not JSON: ${groupedDigits(more)} more lines`);
  const isBroken = scan.fault !== undefined && content.byteCount - scan.fault.byteOffset > FAULT_REST_BYTES;
  return {
    kind: scan.isByLine && scan.valueCount > 1 ? "JSON lines" : "JSON",
    lines,
    ...nextStep(root, scan, shown, content),
    below: isBroken ? "digest" : content.lineCount === 1 ? undefined : "lines",
    shownLines: [...shown.shownLines, ...scan.otherLines.map(({ byteOffset }) => content.lineAt(byteOffset))],
  };
}

/** If no more than this is left after a fault, it is shown. */
const FAULT_REST_BYTES = 200;

function heading(paths: JsonPaths, scan: JsonScan, content: OutlinedContent, isWhole: boolean): string {
  const { root, deepest } = paths;
  const { valueCount: whole, isByLine, fault } = scan;
  const parts = [
    countsOf(root, "JSON", isByLine && content.lineCount > 1 ? "JSON lines" : "JSON values"),
    `${groupedDigits(content.byteCount)} bytes`,
  ];
  if (deepest > 8) parts.push(`${groupedDigits(deepest)} levels deep`);
  if (paths.isCrowded) parts.push("not all paths shown");
  if (scan.strangeCount > 0) {
    parts.push(`NaN or Infinity ×${groupedDigits(scan.strangeCount)}, which JSON does not have`);
  }
  if (!isWhole) parts.push(`outlined: the first ${groupedDigits(OUTLINED_BYTES)} bytes`);
  if (fault === undefined) return parts.join(", ");
  const line = groupedDigits(content.lineAt(fault.byteOffset));
  const column = content.charAt(fault.byteOffset) - content.charAt(fault.lineFrom) + 1;
  const position = `line ${line}, column ${groupedDigits(column)}`;
  const rest = content.byteCount - fault.byteOffset;
  const after = rest > 0 && rest <= FAULT_REST_BYTES
    ? `: ${clip(oneLine(new TextDecoder().decode(content.read(fault.byteOffset, content.byteCount))), 200)}`
    : "";
  const before = whole > 0 ? ` after ${groupedDigits(whole)} whole values` : "";
  return `${parts.join(", ")}; invalid at ${position}${before}: ${fault.what}${after}`;
}

/** The query or the lines to look at first: the oddest element, or the first one of the largest list. */
function nextStep(
  root: PathNode,
  scan: JsonScan,
  { top, condition }: ShownOddities,
  content: OutlinedContent,
): Pick<ContentOutline, "readOn" | "query"> {
  if (scan.fault !== undefined) return { readOn: around(content, scan.fault.byteOffset) };
  const readOn = top && sliceOf(content, top);
  if (scan.valueCount === 1) return { readOn, query: asFilter(top?.path ?? largestList(root)) };
  return condition === undefined
    ? { readOn: readOn ?? { mode: "line", start: 1, count: 1 } }
    : { readOn, query: `select(${condition})` };
}

/** The lines around a byte; if there is only one line, the chars before the byte. */
function around(content: OutlinedContent, byteOffset: number): NonNullable<ContentOutline["readOn"]> {
  if (content.lineCount === 1) {
    const start = Math.max(0, content.charAt(byteOffset) + 1 - READ_CHARS);
    return { mode: "char", start, count: READ_CHARS + 200 };
  }
  const line = content.lineAt(byteOffset);
  const start = Math.max(1, line - READ_LINES / 2);
  return { mode: "line", start, count: READ_LINES };
}

const READ_CHARS = 1000;
const READ_LINES = 20;

/** Drops white space between tokens. */
function withoutSpace(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*"?)|\s+/gs, "$1");
}

/** The filter for a path, or for the object around a key that is cut. One that starts with an index needs a dot before it. */
function asFilter(path: string): string {
  const whole = wholeSteps(path);
  return whole === "" || whole.startsWith("[") ? `.${whole}` : whole;
}

/** The path of the first element of the largest list; without lists, that of the largest part. */
function largestList(root: PathNode): string {
  let best = "";
  let bestBytes = 0;
  const visit = (node: PathNode, path: string): void => {
    if (node.counts[ARRAY]! > 0 && node.element !== undefined) {
      const bytes = node.byteCount / node.counts[ARRAY]!;
      const isBetter = bytes > bestBytes && (node.mostElements > 1 || bestBytes === 0);
      if (isBetter) [best, bestBytes] = [`${path}[0]`, node.mostElements > 1 ? bytes : 0];
      visit(node.element, `${path}[0]`);
    }
    for (const child of node.children) {
      visit(child, path + (node.isDictionary ? step(node.exampleKeys[0] ?? "") : step(child.key)));
    }
  };
  visit(root, "");
  if (best !== "" || root.counts[OBJECT] === 0) return best;
  const [largest] = [...root.children].sort((one, other) => other.byteCount - one.byteCount);
  return largest === undefined ? "" : step(root.isDictionary ? root.exampleKeys[0] ?? "" : largest.key);
}
