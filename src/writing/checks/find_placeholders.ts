/**
 * Finds placeholder lines in content of any size: reads it in pieces that end at line ends, and reads the old file
 * only if lines were found.
 */

import { joinBytes } from "../../../fd/mod.ts";
import { normalisedLineCount, tallyLineEnds } from "./line_ends.ts";
import { type PlaceholderLine, placeholderLines } from "./placeholder_lines.ts";

const PIECE_BYTES = 1_048_576;
const LF = 0x0a;

/** The placeholder lines of `content` that `before`, the current file, does not have. */
export function findPlaceholders(
  content: Iterable<Uint8Array>,
  fileName: string,
  before: Iterable<Uint8Array>,
): PlaceholderLine[] {
  const found: PlaceholderLine[] = [];
  let linesBefore = 0;
  for (const piece of linePieces(content)) {
    const text = new TextDecoder().decode(piece);
    for (const line of placeholderLines(text, fileName, () => false)) {
      found.push({ ...line, lineNumber: linesBefore + line.lineNumber });
    }
    linesBefore += normalisedLineCount(tallyLineEnds([piece]));
  }
  if (found.length === 0) return found;
  const sought = new Set(found.map((line) => line.text));
  const known = new Set<string>();
  for (const piece of linePieces(before)) {
    for (const line of new TextDecoder().decode(piece).split(/\r\n|\r|\n/)) {
      const trimmed = line.trim();
      if (sought.has(trimmed)) known.add(trimmed);
    }
  }
  return found.filter((line) => !known.has(line.text));
}

/** Pieces of about a megabyte, each ending with an LF except the last; a giant line is one piece. */
function* linePieces(chunks: Iterable<Uint8Array>): Iterable<Uint8Array> {
  let pending: Uint8Array[] = [];
  let byteCount = 0;
  for (const chunk of chunks) {
    const cut = byteCount + chunk.length >= PIECE_BYTES ? chunk.lastIndexOf(LF) + 1 : 0;
    if (cut > 0) {
      yield joinBytes([...pending, chunk.subarray(0, cut)]);
      pending = [];
      byteCount = 0;
    }
    const rest = chunk.slice(cut);
    pending.push(rest);
    byteCount += rest.length;
  }
  yield joinBytes(pending);
}
