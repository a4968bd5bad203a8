/**
 * Finds the place that a plan's marker names: a text, which may run over lines, or a regular expression, which is matched
 * line by line.
 *
 * @module
 */

import { patternSpans } from "../../fd/mod.ts";
import { findAll, linesAt } from "./apply_edits.ts";
import type { ShownLine } from "./write_failure.ts";

/** A place that a marker matches, in bytes, and the line on which it starts. */
export interface MarkerMatch {
  fromByte: number;
  toByte: number;
  line: ShownLine;
}

/** Every match of `marker` at or after `fromByte`, in order. Throws `invalid_parameter` for a pattern that cannot be used. */
export function findMarker(
  content: Uint8Array,
  marker: string,
  type: "string" | "regex",
  fromByte = 0,
): MarkerMatch[] {
  const found = type === "string"
    ? findText(content, new TextEncoder().encode(marker))
    : patternSpans(content, marker);
  const after = found.filter((match) => match.fromByte >= fromByte);
  const lines = linesAt(content, after.map((match) => match.fromByte));
  return after.map((match, index) => ({ ...match, line: lines[index]! }));
}

function findText(content: Uint8Array, sought: Uint8Array): Omit<MarkerMatch, "line">[] {
  return findAll(content, sought, { overlapping: true })
    .map((fromByte) => ({ fromByte, toByte: fromByte + sought.length }));
}

/** How a question offers a match. */
export function matchOption({ line }: MarkerMatch): string {
  return `${line.lineNumber}: ${line.text.trim()}`;
}

/** The line that starts at or before `byteOffset`, as its start. */
export function lineStartAt(content: Uint8Array, byteOffset: number): number {
  // Not `lastIndexOf(0x0a, byteOffset - 1)`: at the first byte that is -1, which counts from the end.
  return content.subarray(0, byteOffset).lastIndexOf(0x0a) + 1;
}
