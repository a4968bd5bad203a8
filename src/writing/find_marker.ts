/**
 * Finds the place that a plan's marker names: a text, which may run over lines, or a regular expression, which is matched
 * line by line.
 *
 * @module
 */

import { type Span, spanFinder } from "../../fd/mod.ts";
import type { EditedText } from "./checks/edited_text.ts";
import type { ShownLine } from "../terms/write_faults.ts";

/** The matches of a marker: how many, and the first of them. */
export interface MarkerMatches {
  count: number;
  first: Span[];
}

/** Which matches of a marker are wanted. */
export interface MarkerRequest {
  marker: string;
  type: "string" | "regex";
  /** Only those at or after this byte; 0 unless given. */
  fromByte?: number | undefined;
  /** Whether matches of a text that overlap count; those of a pattern never do. */
  overlapping: boolean;
  /** How many to hand back; the others are counted only. */
  keep: number;
  /** Stop after so many. */
  most?: number | undefined;
}

/** Finds the matches of a marker, in order. Throws `invalid_parameter` for a pattern that cannot be used. */
export function findMarker(text: EditedText, request: MarkerRequest): MarkerMatches {
  const { marker, type, fromByte = 0, keep } = request;
  if (type === "string") {
    const sought = new TextEncoder().encode(marker);
    const { count, first } = text.places(sought, request);
    return { count, first: first.map((from) => ({ fromByte: from, toByte: from + sought.length })) };
  }
  const { requiredText, spans } = spanFinder(marker);
  const found: Span[] = [];
  for (const stretch of text.linesWith(new TextEncoder().encode(requiredText))) {
    for (const span of spans(stretch.bytes)) {
      const from = stretch.fromByte + span.fromByte;
      if (from >= fromByte) found.push({ fromByte: from, toByte: stretch.fromByte + span.toByte });
    }
  }
  return { count: found.length, first: keep >= found.length ? found : found.slice(0, keep) };
}

/** How a question offers the match on a line. */
export function matchOption({ lineNumber, text }: ShownLine): string {
  return `${lineNumber}: ${text.trim()}`;
}
