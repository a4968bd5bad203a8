/**
 * Edits on bytes: everything outside a match is unchanged, CRLF, BOM and ill-formed UTF-8 included, and the new text
 * is literal. UTF-8 is self-synchronising, so a match of well-formed text never starts inside a char.
 */

import { countChars } from "../../fd/system.ts";
import { EditedText, type Places } from "./checks/edited_text.ts";
import { type Correction, nearestLines } from "./checks/nearest_lines.ts";
import { lineAround, LONG_LINE } from "./checks/text_difference.ts";
import type { ShownLine, WriteFault } from "../calls/terms/write_faults.ts";

/** One replacement. An empty `oldBytes` sets the whole content. */
export interface ByteEdit {
  oldBytes: Uint8Array;
  newBytes: Uint8Array;
  replaceAll: boolean;
}

/** The content after all edits, or the fault that prevents them, and what would match in place of a text that does not. */
type EditOutcome =
  | { content: Uint8Array; fault?: undefined }
  | { content?: undefined; fault: WriteFault; correction?: Correction | undefined };

const MAX_LISTED = 20;
/** More than is shown of a line on either side of a match, in bytes. */
const BYTES_AROUND = 4 * LONG_LINE;

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
  const text = new EditedText(content);
  for (const [index, edit] of edits.entries()) {
    const places = applyEdit(text, edit);
    if (places === undefined) continue;
    const about = { path, edit: edits.length > 1 ? index : undefined, sought: "old_string" };
    if (places.count > 0) {
      const lines = linesAt(text, places.first);
      return { fault: { kind: "match_not_unique", ...about, lines, matchCount: places.count } };
    }
    const replaced = replacedBefore(content, edits, index);
    if (replaced !== undefined) return { fault: { kind: "match_not_found", ...about, ...replaced } };
    const { corrected, ...miss } = nearestLines(text, edit.oldBytes, "old_string", edit.replaceAll);
    const found = { ...about, ...miss, corrected: corrected?.text, eol: corrected?.eol };
    return { fault: { kind: "match_not_found", ...found }, correction: corrected };
  }
  return { content: text.bytes() };
}

/** Applies an edit, or returns the places of its text: none, or several. */
function applyEdit(text: EditedText, { oldBytes, newBytes, replaceAll }: ByteEdit): Places | undefined {
  if (oldBytes.length === 0) {
    text.replaceWhole(newBytes);
    return undefined;
  }
  const keep = replaceAll ? Infinity : MAX_LISTED;
  const places = text.places(oldBytes, { overlapping: !replaceAll, keep });
  if (places.count === 0 || places.count > 1 && !replaceAll) return places;
  const length = oldBytes.length;
  text.replaceSpans(places.first.map((fromByte) => ({ fromByte, toByte: fromByte + length })), newBytes);
  return undefined;
}

/** Finds the edit before the one at `index` that replaced its text; undefined if `content` does not have it. */
function replacedBefore(content: Uint8Array, edits: readonly ByteEdit[], index: number) {
  const { oldBytes } = edits[index]!;
  const text = new EditedText(content);
  const placeNow = () => text.places(oldBytes, { overlapping: true, keep: 1, most: 1 }).first[0];
  const place = placeNow();
  if (place === undefined) return undefined;
  const nearest = linesAt(text, [place]).map((line) => ({ ...line, differs: ["place"] }));
  const last = text.feedsBefore(place + oldBytes.length - 1) + 1;
  const edit = edits.slice(0, index).findIndex((each) => {
    applyEdit(text, each);
    return placeNow() === undefined;
  });
  const { lineNumber } = nearest[0]!;
  const lines = last === lineNumber ? `line ${last}` : `lines ${lineNumber}-${last}`;
  return { nearest, why: `edit ${edit + 1} replaced it (${lines})` };
}

/** The lines that contain the offsets, which are in order; with columns if several are in one line, or in a long one. */
export function linesAt(text: EditedText, offsets: readonly number[]): ShownLine[] {
  const starts = offsets.map((offset) => text.lineStart(offset));
  let counted = { at: 0, chars: 0 };
  const charsBefore = (at: number) => {
    counted = { at, chars: counted.chars + countChars(text.slice(counted.at, at)) };
    return counted.chars;
  };
  let lineChars = 0;
  return offsets.map((offset, index) => {
    const start = starts[index]!;
    const lineNumber = text.feedsBefore(start) + 1;
    const feed = text.nextFeed(offset);
    const end = feed === -1 ? text.byteCount : feed;
    const isLong = end - start > LONG_LINE;
    const before = decoded(text.slice(Math.max(start, offset - BYTES_AROUND), offset));
    const after = decoded(text.slice(offset, Math.min(end, offset + BYTES_AROUND)));
    const line = { lineNumber, text: lineAround(before + after, before.length) };
    if (!isLong && starts[index - 1] !== start && starts[index + 1] !== start) return line;
    if (starts[index - 1] !== start) lineChars = charsBefore(start);
    const charOffset = charsBefore(offset);
    return { ...line, column: charOffset - lineChars + 1, ...isLong ? { charOffset } : {} };
  });
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
