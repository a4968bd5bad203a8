/**
 * Finds the places that an operation's markers name. A marker that is missing, not found or ambiguous becomes a problem, or a
 * question.
 */

import { type Span, spanFinder } from "../../fd/mod.ts";
import { failureIn, joinBytes } from "../../fd/system.ts";
import type { ShownLine, WriteFault } from "../calls/terms/write_faults.ts";
import { linesAt } from "./apply_edits.ts";
import type { EditedText, PlaceRequest } from "./checks/edited_text.ts";
import { encodingOf, HEAD_BYTES } from "./checks/encodings.ts";
import type { LineEndTally } from "./checks/line_ends.ts";
import { nearestLines, type NearMiss } from "./checks/nearest_lines.ts";
import type { Target, TextTarget } from "./commit/inspect_target.ts";
import { givenAnswer } from "./commit/write_context.ts";
import { hasBlockMarker, type MarkerField, type NewText, type OperationForm } from "./read_plan.ts";

/** A file during a plan. */
export interface PlannedFile extends TextTarget {
  target: Target;
  /** Undefined while the file does not exist. */
  content: EditedText | undefined;
  /** Whether an operation sets the whole content, so that a large change needs no question. */
  setsWhole: boolean;
  copyBeside: boolean;
  /** The operations done, in order: `Appended 15 lines to helpers.js.` */
  sentences: string[];
  /** The bytes compared so far to explain markers that were not found. */
  comparedBytes: number;
  /** The line ends of its content. */
  ends: LineEndTally;
  added: NewText[];
}

/** The question about a marker that appears several times in the file. */
export interface MarkerQuestion {
  id: string;
  text: string;
  options: string[];
  target: Target;
  /** The problem to report if no question is asked. */
  fault: WriteFault;
}

/** An operation with its file, which reports call `name`. */
export interface Step extends OperationForm {
  file: PlannedFile;
  name: string;
  inquire(question: MarkerQuestion): undefined;
}

/**
 * Finds how many matches a marker has, and the first of them, in order: text may span lines, a pattern is matched line by line. Throws
 * `invalid_parameter` for an invalid pattern.
 */
function findMarker(
  text: EditedText,
  marker: string,
  isPattern: boolean,
  request: PlaceRequest,
) {
  const { fromByte = 0, keep } = request;
  if (!isPattern) {
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

const NO_NEAR_MISS: NearMiss = { nearest: [] };
/** The most bytes of a file that are compared to explain markers; further misses are reported without similar lines. */
const MAX_COMPARED_BYTES = 16 * 2 ** 20;

/** Explains a marker that was not found. */
function explainMiss(file: PlannedFile, content: EditedText, sought: Uint8Array, field: string): NearMiss {
  if (file.comparedBytes >= MAX_COMPARED_BYTES) return NO_NEAR_MISS;
  file.comparedBytes += content.byteCount + sought.length;
  return nearestLines(content, sought, field);
}

/** The matches of a marker. Returns undefined, with a problem, if the marker is missing, invalid or not found. */
export function matchesOf(
  step: Step,
  content: EditedText,
  field: MarkerField,
  wanted: PlaceRequest,
): ReturnType<typeof findMarker> | undefined {
  const { operation, report, file } = step;
  const marker = operation[field];
  // `checkFields` has reported it.
  if (marker === undefined || marker === "") return undefined;
  const isPattern = operation.marker_type === "regex";
  const find = (request: PlaceRequest) => findMarker(content, marker, isPattern, request);
  let matches;
  try {
    matches = find(wanted);
  } catch (thrown) {
    return report(field, { ...failureIn(thrown, "invalid_parameter"), field });
  }
  if (matches.count > 0) return matches;
  const [early] = wanted.fromByte === undefined ? [] : find({ overlapping: true, keep: 1, most: 1 }).first;
  const { corrected, ...miss }: NearMiss = early !== undefined
    ? { nearest: [{ ...lineAt(content, early), differs: ["place"] }] }
    : isPattern
    ? NO_NEAR_MISS
    : explainMiss(file, content, new TextEncoder().encode(marker), field);
  return report(field, {
    kind: "match_not_found",
    path: file.target.path,
    sought: field,
    after: early === undefined ? undefined : "start_marker",
    ...miss,
    corrected: corrected?.text,
  });
}

/** The only match of a marker. If there are several: the one that an answer names, or a question. */
export function uniqueMatch(step: Step, content: EditedText, field: MarkerField): Span | undefined {
  const matches = matchesOf(step, content, field, { overlapping: true, keep: MAX_OPTIONS });
  if (matches === undefined || matches.count === 1) return matches?.first[0];
  const { report, inquire, file, context } = step;
  const lines = linesAt(content, matches.first.map((match) => match.fromByte));
  const options = lines.map(({ lineNumber, text }) => `${lineNumber}: ${text.trim()}`);
  const fault: WriteFault = {
    kind: "match_not_unique",
    path: file.target.path,
    sought: field,
    lines,
    matchCount: matches.count,
  };
  const isChoice = new Set(lines.map(({ lineNumber }) => lineNumber)).size === matches.count;
  if (!isChoice) return report(field, fault);
  const id = `${step.at}.${field}`;
  const answer = givenAnswer(context, id, [file.target]);
  if (answer !== undefined) {
    const chosen = matches.first[options.findIndex((option) => option === answer)];
    if (chosen !== undefined) return chosen;
    return report(field, `the answer ${JSON.stringify(answer)} is not one of its ${matches.count} lines`);
  }
  const text = `${field} appears on ${matches.count} lines of ${file.target.path}. Which one should be used?`;
  return inquire({ id, text, options, target: file.target, fault });
}

/** More matches than this make a question useless. */
const MAX_OPTIONS = 20;

export function lineAt(content: EditedText, { fromByte }: Span): ShownLine {
  return linesAt(content, [fromByte])[0]!;
}

/** The range that `replace` replaces: `find`, or from the start marker to the end marker, both included. */
export function blockRange(step: Step, content: EditedText): Span | undefined {
  const { operation } = step;
  if (operation.find !== undefined) {
    return hasBlockMarker(operation) ? undefined : uniqueMatch(step, content, "find");
  }
  const first = uniqueMatch(step, content, "start_marker");
  if (first === undefined) return undefined;
  const firstAfter = { fromByte: first.toByte, overlapping: true, keep: 1, most: 1, isEnd: true };
  const last = matchesOf(step, content, "end_marker", firstAfter)?.first[0];
  return last === undefined ? undefined : { fromByte: first.fromByte, toByte: last.toByte };
}

const LF = 0x0a;
const CR = 0x0d;

/**
 * The offset for new text before or after a marker. Whole lines (text that ends with an LF and does not begin with
 * one) go between lines, so that they do not split the marker's line; other text goes right beside the marker.
 */
export function insertionAt(
  content: EditedText,
  match: Span,
  position: "before" | "after",
  added: Uint8Array,
): { atByte: number; text: Uint8Array; isWholeLines: boolean } {
  const isWholeLines = added.at(-1) === LF && added[0] !== LF;
  // Nothing goes before a byte order mark.
  const first = encodingOf(content.slice(0, Math.min(content.byteCount, HEAD_BYTES)))?.markBytes ?? 0;
  const from = Math.max(first, isWholeLines ? content.lineStart(match.fromByte) : match.fromByte);
  if (position === "before") return { atByte: from, text: added, isWholeLines };
  if (!isWholeLines) return { atByte: match.toByte, text: added, isWholeLines };
  if (match.toByte > 0 && content.lineStart(match.toByte) === match.toByte) {
    return { atByte: match.toByte, text: added, isWholeLines };
  }
  const feed = content.nextFeed(match.toByte);
  if (feed !== -1) return { atByte: feed + 1, text: added, isWholeLines };
  // The marker is in a last line without a line end: add one like those of the text.
  const lineEnd = added.at(-2) === CR ? Uint8Array.of(CR, LF) : Uint8Array.of(LF);
  return { atByte: content.byteCount, text: joinBytes([lineEnd, added]), isWholeLines };
}
