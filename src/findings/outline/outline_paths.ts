/** The lines that outlines of all kinds with paths have: the paths, and what is odd. */

import { groupedDigits } from "../../answers/parts/grouped_digits.ts";
import type { ReadRequest } from "../../calls/requests/read_request.ts";
import { describePaths } from "./describe_paths.ts";
import { type ContentOutline, MANY_LINES, OUTLINED_BYTES, type OutlinedContent } from "./outlined_content.ts";
import { KINDS, type PathNode, type Span, valueCount } from "./path_node.ts";
import { findOddities, type ShownOddities, showOddities } from "./show_oddities.ts";

/** Chars of all paths; JSON has more of them, since `query` takes them. */
export const JSON_PATHS_CHARS = 2600;
const PATHS_CHARS = 800;
const ODD_CHARS = 800;
/** Chars of a value that is odd, and of one whose lines are shown, too. */
const VALUE_CHARS = 300;
const SHORT_VALUE_CHARS = 80;
const WANTED_CHARS = 1000;
const SHARE_OF_PATHS = 0.65;
const SHARE_OF_ODD = 0.3;

/** Describes the paths and oddities under `root`; `tidy` is as for {@link showOddities}. */
export function pathLines(
  root: PathNode,
  content: OutlinedContent,
  budgetChars: number,
  tidy: (text: string) => string,
  pathsChars = PATHS_CHARS,
): { lines: string[]; shown: ShownOddities } {
  const oddChars = Math.min(ODD_CHARS, budgetChars * SHARE_OF_ODD);
  const valueChars = content.lineCount >= MANY_LINES ? SHORT_VALUE_CHARS : VALUE_CHARS;
  const shown = showOddities(findOddities(root), content, oddChars, valueChars, tidy);
  const most = Math.min(pathsChars, budgetChars * SHARE_OF_PATHS);
  const lines = describePaths(root, Math.min(WANTED_CHARS, most), most);
  if (shown.lines.length > 0) lines.push("odd:", ...shown.lines);
  return { lines, shown };
}

/** An outline of content that is read by lines. */
export function outlineOfLines(
  kind: string,
  heading: string,
  root: PathNode,
  content: OutlinedContent,
  budgetChars: number,
  tidy: (text: string) => string,
): ContentOutline {
  const { lines, shown } = pathLines(root, content, budgetChars, tidy);
  const { top, shownLines } = shown;
  const readOn = top && sliceOf(content, top);
  return { kind, lines: [heading, ...lines], readOn, below: "lines", shownLines };
}

/** The size for the heading, and whether all of it is outlined. */
export function outlinedPart({ byteCount }: OutlinedContent): string {
  const part = byteCount > OUTLINED_BYTES
    ? `, outlined: the first ${groupedDigits(OUTLINED_BYTES)} bytes`
    : "";
  return `, ${groupedDigits(byteCount)} bytes${part}`;
}

/** `one: one object` or `many: 3 objects, 2 strings`. */
export function countsOf(root: PathNode, one: string, many: string): string {
  const { counts } = root;
  if (valueCount(root) === 1) return `${one}: one ${KINDS[counts.indexOf(1)]}`;
  const kinds = counts.flatMap((count, kind) =>
    count === 0 ? [] : [`${groupedDigits(count)} ${KINDS[kind]}s`]
  );
  return `${many}: ${kinds.join(", ")}`;
}

/** Text with a single space for all white space between two words. */
export function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

const MAX_LINES = 100;
const MAX_SLICE_CHARS = 2000;

/** The slice that shows a value: its lines or, if they have much else, its chars. */
export function sliceOf(content: OutlinedContent, { fromByte, toByte }: Span): Omit<ReadRequest, "fd"> {
  const to = Math.min(toByte, content.byteCount);
  const from = Math.max(0, fromByte - MAX_SLICE_CHARS);
  const before = content.read(from, fromByte);
  const after = content.read(to, to + MAX_SLICE_CHARS);
  const isLongLine = from > 0 && !before.includes(LINE_FEED) ||
    after.length === MAX_SLICE_CHARS && !after.includes(LINE_FEED);
  if (isLongLine) {
    const start = content.charAt(fromByte);
    return { mode: "char", start, count: Math.min(MAX_SLICE_CHARS, content.charAt(to) - start) };
  }
  const start = content.lineAt(fromByte);
  const count = Math.min(MAX_LINES, content.lineAt(Math.max(fromByte, to - 1)) - start + 1);
  return { mode: "line", start, count };
}

const LINE_FEED = 0x0a;
