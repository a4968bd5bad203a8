/**
 * Edits on bytes: what a match does not touch stays as it is, CRLF, BOM and ill-formed UTF-8 included, and the new text
 * is taken literally. UTF-8 is self-synchronising, so a match of well-formed text never starts inside a char.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { nearestLines } from "./nearest_lines.ts";
import { type ShownLine, type WriteFault } from "./write_failure.ts";

/** One replacement. An empty `oldBytes` sets the whole content. */
export interface ByteEdit {
  oldBytes: Uint8Array;
  newBytes: Uint8Array;
  replaceAll: boolean;
}

/** The content after all edits, or why there is none. */
export type EditOutcome = { content: Uint8Array; fault?: undefined } | {
  content?: undefined;
  fault: WriteFault;
};

/** How many lines of matches a failure lists. */
const MOST_LISTED = 20;
/** How much of a line a failure shows, in UTF-16 units. */
const SHOWN_LINE_LENGTH = 200;

/**
 * Applies the edits in order, all or none; each sees what the ones before it made. `path` is only named in faults.
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
  let current = content;
  for (const [index, edit] of edits.entries()) {
    const outcome = applyEdit(current, edit, path, edits.length > 1 ? index : undefined);
    if (outcome.fault !== undefined) return outcome;
    current = outcome.content;
  }
  return { content: current };
}

function applyEdit(
  content: Uint8Array,
  { oldBytes, newBytes, replaceAll }: ByteEdit,
  path: string,
  edit: number | undefined,
): EditOutcome {
  if (oldBytes.length === 0) return { content: newBytes };
  const offsets = findAll(content, oldBytes, { overlapping: !replaceAll });
  if (offsets.length === 0) {
    const { nearest, otherLineEnds } = nearestLines(content, oldBytes);
    return { fault: { kind: "match_not_found", path, edit, sought: "old_string", nearest, otherLineEnds } };
  }
  if (offsets.length > 1 && !replaceAll) {
    const lines = linesAt(content, offsets.slice(0, MOST_LISTED));
    return {
      fault: {
        kind: "match_not_unique",
        path,
        edit,
        sought: "old_string",
        lines,
        matchCount: offsets.length,
      },
    };
  }
  return { content: replaceAt(content, offsets, oldBytes.length, newBytes) };
}

/**
 * Where `sought` stands in `content`, in order. Overlapping matches count where it is asked whether a match is the only
 * one (`aa` stands twice in `aaa`), and cannot where all are replaced.
 */
export function findAll(content: Uint8Array, sought: Uint8Array, how: { overlapping: boolean }): number[] {
  const haystack = viewed(content);
  const needle = viewed(sought);
  const offsets: number[] = [];
  const step = how.overlapping ? 1 : needle.length;
  for (let at = haystack.indexOf(needle); at !== -1; at = haystack.indexOf(needle, at + step)) {
    offsets.push(at);
  }
  return offsets;
}

/** `content` with `oldLength` bytes at each offset replaced by `newBytes`. */
export function replaceAt(
  content: Uint8Array,
  offsets: readonly number[],
  oldLength: number,
  newBytes: Uint8Array,
): Uint8Array {
  // Filled in its place: views of all the pieces between millions of matches would take more than the content.
  const replaced = new Uint8Array(content.length + offsets.length * (newBytes.length - oldLength));
  let from = 0;
  let to = 0;
  for (const offset of offsets) {
    replaced.set(content.subarray(from, offset), to);
    to += offset - from;
    replaced.set(newBytes, to);
    to += newBytes.length;
    from = offset + oldLength;
  }
  replaced.set(content.subarray(from), to);
  return replaced;
}

/** The lines on which the offsets (in order) lie. */
export function linesAt(content: Uint8Array, offsets: readonly number[]): ShownLine[] {
  const haystack = viewed(content);
  const lines: ShownLine[] = [];
  let lineNumber = 1;
  let lineStart = 0;
  for (const offset of offsets) {
    for (let feed = haystack.indexOf(0x0a, lineStart); feed !== -1 && feed < offset;) {
      lineNumber++;
      lineStart = feed + 1;
      feed = haystack.indexOf(0x0a, lineStart);
    }
    lines.push({ lineNumber, text: shownLine(content, lineStart) });
  }
  return lines;
}

/** The line that starts at `lineStart`, without its line end, cut where it is long. */
function shownLine(content: Uint8Array, lineStart: number): string {
  const feed = viewed(content).indexOf(0x0a, lineStart);
  const end = Math.min(feed === -1 ? content.length : feed, lineStart + 4 * SHOWN_LINE_LENGTH);
  const text = new TextDecoder().decode(content.subarray(lineStart, end)).replace(/\r$/, "");
  return text.length <= SHOWN_LINE_LENGTH ? text : `${text.slice(0, SHOWN_LINE_LENGTH)}…`;
}

function viewed(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
