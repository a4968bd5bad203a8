/**
 * Finds the place that a plan's marker names: a text, which may run over lines, or a regular expression, which is matched
 * line by line.
 *
 * @module
 */

import { isUtf8 } from "node:buffer";
import { findAll, linesAt } from "./apply_edits.ts";
import type { ShownLine } from "./write_failure.ts";

/** A place that a marker matches, in bytes, and the line on which it starts. */
export interface MarkerMatch {
  fromByte: number;
  toByte: number;
  line: ShownLine;
}

/** Lines longer than this are not matched by a regular expression. */
const LONGEST_LINE_BYTES = 100_000;

/** Every match of `marker` at or after `fromByte`, in order. Throws `SyntaxError` for a pattern that is none. */
export function findMarker(
  content: Uint8Array,
  marker: string,
  type: "string" | "regex",
  fromByte = 0,
): MarkerMatch[] {
  const found = type === "string"
    ? findText(content, new TextEncoder().encode(marker))
    : findPattern(content, compileMarker(marker));
  const after = found.filter((match) => match.fromByte >= fromByte);
  const lines = linesAt(content, after.map((match) => match.fromByte));
  return after.map((match, index) => ({ ...match, line: lines[index]! }));
}

/** The pattern; refused where a repetition stands in a repetition, which can take for ever on a line that nearly matches. */
export function compileMarker(pattern: string): RegExp {
  if (/\((?:[^()\\]|\\.)*[+*}](?:[^()\\]|\\.)*\)(?:[+*]|\{\d*,\d*\})/.test(pattern)) {
    throw new SyntaxError("a repetition inside a repetition can take for ever; write it without");
  }
  try {
    return new RegExp(pattern, "gu");
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return new RegExp(pattern, "g");
  }
}

function findText(content: Uint8Array, sought: Uint8Array): Omit<MarkerMatch, "line">[] {
  return findAll(content, sought, { overlapping: true })
    .map((fromByte) => ({ fromByte, toByte: fromByte + sought.length }));
}

function findPattern(content: Uint8Array, pattern: RegExp): Omit<MarkerMatch, "line">[] {
  const found: Omit<MarkerMatch, "line">[] = [];
  for (let lineStart = 0; lineStart < content.length;) {
    const feed = content.indexOf(0x0a, lineStart);
    const lineEnd = feed === -1 ? content.length : feed;
    const textEnd = content[lineEnd - 1] === 0x0d && lineEnd > lineStart ? lineEnd - 1 : lineEnd;
    if (textEnd - lineStart <= LONGEST_LINE_BYTES) {
      found.push(...findInLine(content.subarray(lineStart, textEnd), lineStart, pattern));
    }
    lineStart = lineEnd + 1;
  }
  return found;
}

function findInLine(line: Uint8Array, lineStart: number, pattern: RegExp): Omit<MarkerMatch, "line">[] {
  // Ill-formed UTF-8 is matched byte by byte: then offsets are bytes already.
  const encoding = isUtf8(line) ? "utf-8" : "latin1";
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(line);
  const byteLength = (piece: string) =>
    encoding === "utf-8" ? new TextEncoder().encode(piece).length : piece.length;
  return [...text.matchAll(pattern)].filter((match) => match[0] !== "").map((match) => {
    const fromByte = lineStart + byteLength(text.slice(0, match.index));
    return { fromByte, toByte: fromByte + byteLength(match[0]) };
  });
}

/** How a question offers a match. */
export function matchOption({ line }: MarkerMatch): string {
  return `${line.lineNumber}: ${line.text.trim()}`;
}

/** The line that starts at or before `byteOffset`, as its start. */
export function lineStartAt(content: Uint8Array, byteOffset: number): number {
  return content.lastIndexOf(0x0a, byteOffset - 1) + 1;
}
