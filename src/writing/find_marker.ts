/**
 * Finds the markers of a plan: text, which may span lines, or a regular expression, which is matched line by line.
 */

import { type Span, spanFinder } from "../../fd/mod.ts";
import type { EditedText } from "./checks/edited_text.ts";
import type { ShownLine } from "../terms/write_faults.ts";

/** The number of matches, and the first of them. */
export interface MarkerMatches {
  count: number;
  first: Span[];
}

export interface MarkerRequest {
  marker: string;
  type: "string" | "regex";
  /** Search at or after this byte (default 0). */
  fromByte?: number | undefined;
  /** Whether overlapping matches of a text count; those of a pattern never overlap. */
  overlapping: boolean;
  /** The number of matches to return; others are only counted. */
  keep: number;
  /** Stop after this many. */
  most?: number | undefined;
}

/** Finds the matches of a marker, in order. Throws `invalid_parameter` for an invalid pattern. */
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

/** The option of a question for the match on a line. */
export function matchOption({ lineNumber, text }: ShownLine): string {
  return `${lineNumber}: ${text.trim()}`;
}
