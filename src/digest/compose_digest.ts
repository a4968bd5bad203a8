/**
 * Makes the parts of a digest from the lines that were chosen: runs of lines, and gaps that say what they leave out.
 */

import { nodeBuffer, utf8Text } from "../../fd/mod.ts";
import type { PreviewGap, PreviewPart } from "../terms/answers.ts";
import { MAX_LINE_CHARS } from "./choose_lines.ts";
import { SIGN_HASHES } from "./failure_signs.ts";
import { newLineScan, scanLine } from "./scan_line.ts";
import { pieceOf, type Study, textOf } from "./studied_lines.ts";

/** Chars of a line that is an example of others. */
const MAX_EXAMPLE_CHARS = 60;

/** The parts, in order. `lines` ascend. */
export function composeDigest(study: Study, lines: readonly number[]): (PreviewPart | PreviewGap)[] {
  const parts: (PreviewPart | PreviewGap)[] = [];
  let next = 1;
  for (let at = 0; at < lines.length;) {
    const first = lines[at]!;
    let last = first;
    while (lines[at + 1] === last + 1) {
      at++;
      last++;
    }
    at++;
    if (first > next) parts.push(gap(study, next, first - 1));
    parts.push(run(study, first, last));
    next = last + 1;
  }
  if (next <= study.totalLines) parts.push(gap(study, next, study.totalLines));
  return parts;
}

function run(study: Study, first: number, last: number): PreviewPart {
  const shown: string[] = [];
  for (let line = first; line <= last; line++) shown.push(shownLine(textOf(study, line)!));
  // Each char is a byte.
  const bytes = nodeBuffer().Buffer.from(shown.join("\n"), "latin1");
  return {
    lines: `${first}-${last}`,
    body: { byteLength: bytes.length, chunks: () => [bytes], bytes },
    numbered: true,
  };
}

const SCAN = newLineScan();

/** Whether a line of the content is too long to be shown whole. */
export function isCut(study: Study, line: number): boolean {
  return withoutReturn(textOf(study, line)!).length > MAX_LINE_CHARS;
}

function withoutReturn(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

/** A line, cut around its first sign if it is long, in the way `search` says that. */
function shownLine(text: string): string {
  const line = withoutReturn(text);
  if (line.length <= MAX_LINE_CHARS) return line;
  scanLine(nodeBuffer().Buffer.from(line, "latin1"), 0, line.length, SIGN_HASHES, SCAN);
  const sign = SCAN.signCount > 0 ? SCAN.signFrom[0]! : 0;
  const room = MAX_LINE_CHARS - 40;
  let from = sign < room - 80 ? 0 : sign - 80;
  let to = Math.min(line.length, from + room);
  while (from > 0 && isInsideChar(line, from)) from--;
  while (to < line.length && isInsideChar(line, to)) to--;
  const before = from === 0 ? "" : `[${from} bytes \xe2\x80\xa6] `;
  const after = to === line.length ? "" : ` [\xe2\x80\xa6 ${line.length - to} bytes]`;
  return `${before}${line.slice(from, to)}${after}`;
}

function isInsideChar(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xc0) === 0x80;
}

/** Lines of a gap that are compared to find what they have in common. */
const MAX_COMPARED = 200_000;

function gap(study: Study, first: number, last: number): PreviewGap {
  const omitted = last - first + 1;
  const like: PreviewGap["like"] = [];
  const piece = pieceOf(study, first);
  if (omitted > 2 && omitted <= MAX_COMPARED && piece !== undefined && pieceOf(study, last) === piece) {
    const counts = new Map<number, { count: number; line: number }>();
    for (let line = first; line <= last; line++) {
      const shape = piece.shapes[line - piece.firstLine]!;
      const known = counts.get(shape);
      if (known === undefined) counts.set(shape, { count: 1, line });
      else known.count++;
    }
    const alike = [...counts.values()].sort((one, other) => other.count - one.count || one.line - other.line);
    for (const { count, line } of alike.slice(0, 2)) {
      const least = like.length === 0 ? omitted * 0.5 : omitted * 0.2;
      if (count < 3 || count < least) break;
      like.push({ count, line: example(textOf(study, line)!) });
    }
  }
  return { lines: `${first}-${last}`, omitted, like };
}

function example(text: string): string {
  const line = utf8Text(nodeBuffer().Buffer.from(text.trimEnd(), "latin1"));
  if (line.length <= MAX_EXAMPLE_CHARS) return line;
  return `${Array.from(line).slice(0, MAX_EXAMPLE_CHARS).join("")}\u2026`;
}
