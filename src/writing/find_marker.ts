/**
 * Finds the place that a plan's marker names: a text, which may run over lines, or a regular expression, which is matched
 * line by line.
 *
 * @module
 */

import { patternSpans, type Span } from "../../fd/mod.ts";
import { findAll } from "./apply_edits.ts";
import type { ShownLine } from "./write_failure.ts";

/** Every match of `marker` at or after `fromByte`, in order. Throws `invalid_parameter` for a pattern that cannot be used. */
export function findMarker(
  content: Uint8Array,
  marker: string,
  type: "string" | "regex",
  fromByte = 0,
): Span[] {
  const found = type === "string"
    ? findText(content, new TextEncoder().encode(marker))
    : patternSpans(content, marker);
  return found.filter((match) => match.fromByte >= fromByte);
}

function findText(content: Uint8Array, sought: Uint8Array): Span[] {
  return findAll(content, sought, { overlapping: true })
    .map((fromByte) => ({ fromByte, toByte: fromByte + sought.length }));
}

/** How a question offers the match on a line. */
export function matchOption({ lineNumber, text }: ShownLine): string {
  return `${lineNumber}: ${text.trim()}`;
}

/** The line that starts at or before `byteOffset`, as its start. */
export function lineStartAt(content: Uint8Array, byteOffset: number): number {
  // Not `lastIndexOf(0x0a, byteOffset - 1)`: at the first byte that is -1, which counts from the end.
  return content.subarray(0, byteOffset).lastIndexOf(0x0a) + 1;
}
