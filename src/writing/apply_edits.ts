/**
 * Edits on bytes: everything outside a match is unchanged, CRLF, BOM and ill-formed UTF-8 included, and the new text
 * is literal. UTF-8 is self-synchronising, so a match of well-formed text never starts inside a char.
 */

import type { Span } from "../../fd/mod.ts";
import { type EditedText, editedText } from "./checks/edited_text.ts";
import { nearestLines } from "./checks/nearest_lines.ts";
import type { ShownLine, WriteFault } from "../calls/terms/write_faults.ts";

/** One replacement. An empty `oldBytes` sets the whole content. */
export interface ByteEdit {
  oldBytes: Uint8Array;
  newBytes: Uint8Array;
  replaceAll: boolean;
}

/** The content after all edits, or the fault that prevents them. */
export type EditOutcome = { content: Uint8Array; fault?: undefined } | {
  content?: undefined;
  fault: WriteFault;
};

const MAX_LISTED = 20;
/** UTF-16 units. */
const SHOWN_LINE_LENGTH = 200;

/**
 * Applies the edits in order, all or none; each sees the result of the ones before it. `path` is for faults only.
 *
 * ```ts
 * import { applyEdits } from "./apply_edits.ts";
 * const bytes = (text: string) => new TextEncoder().encode(text);
 * const edit = { oldBytes: bytes("b"), newBytes: bytes("$&"), replaceAll: false };
 * const { content } = applyEdits(bytes("a\r\nb\r\n"), [edit], "f");
 * if (new TextDecoder().decode(content) !== "a\r\n$&\r\n") throw new Error();
 * ```
 */
export function applyEdits(content: Uint8Array, edits: readonly ByteEdit[], path: string): EditOutcome {
  const text = editedText(content);
  for (const [index, edit] of edits.entries()) {
    const fault = applyEdit(text, edit, path, edits.length > 1 ? index : undefined);
    if (fault !== undefined) return { fault };
  }
  return { content: text.bytes() };
}

function applyEdit(
  text: EditedText,
  { oldBytes, newBytes, replaceAll }: ByteEdit,
  path: string,
  edit: number | undefined,
): WriteFault | undefined {
  if (oldBytes.length === 0) {
    text.replaceWhole(newBytes);
    return undefined;
  }
  const keep = replaceAll ? Infinity : MAX_LISTED;
  const { count, first } = text.places(oldBytes, { overlapping: !replaceAll, keep });
  if (count === 0) {
    const { nearest, otherLineEnds } = nearestLines(text, oldBytes);
    return { kind: "match_not_found", path, edit, sought: "old_string", nearest, otherLineEnds };
  }
  if (count > 1 && !replaceAll) {
    const lines = linesAt(text, first);
    return { kind: "match_not_unique", path, edit, sought: "old_string", lines, matchCount: count };
  }
  const length = oldBytes.length;
  replaceSpans(text, first.map((fromByte) => ({ fromByte, toByte: fromByte + length })), newBytes);
  return undefined;
}

/** With fewer matches than one in this many bytes, each is replaced by itself; otherwise the whole text is rebuilt. */
const BYTES_A_MATCH = 16_384;

/** Replaces the spans, in order and without overlap, by `added`. */
export function replaceSpans(text: EditedText, spans: readonly Span[], added: Uint8Array): void {
  if (spans.length * BYTES_A_MATCH <= text.byteCount || spans.length === 1) {
    // From the end, so that earlier offsets stay valid.
    for (const { fromByte, toByte } of spans.toReversed()) text.replace(fromByte, toByte, added);
    return;
  }
  const content = text.bytes();
  const removed = spans.reduce((sum, { fromByte, toByte }) => sum + toByte - fromByte, 0);
  // Filled in place: a view of each piece between millions of matches would take more memory than the content.
  const replaced = new Uint8Array(content.length - removed + spans.length * added.length);
  let from = 0;
  let to = 0;
  for (const { fromByte, toByte } of spans) {
    replaced.set(content.subarray(from, fromByte), to);
    to += fromByte - from;
    replaced.set(added, to);
    to += added.length;
    from = toByte;
  }
  replaced.set(content.subarray(from), to);
  text.replaceWhole(replaced);
}

/** The lines that contain the offsets. */
export function linesAt(text: EditedText, offsets: readonly number[]): ShownLine[] {
  return offsets.map((offset) => {
    const lineStart = text.lineStart(offset);
    return { lineNumber: text.feedsBefore(lineStart) + 1, text: shownLine(text, lineStart) };
  });
}

/** The line that starts at `lineStart`, without its line end, truncated if long. */
function shownLine(text: EditedText, lineStart: number): string {
  const feed = text.nextFeed(lineStart);
  const end = Math.min(feed === -1 ? text.byteCount : feed, lineStart + 4 * SHOWN_LINE_LENGTH);
  const line = new TextDecoder().decode(text.slice(lineStart, end)).replace(/\r$/, "");
  return line.length <= SHOWN_LINE_LENGTH ? line : `${line.slice(0, SHOWN_LINE_LENGTH)}…`;
}
