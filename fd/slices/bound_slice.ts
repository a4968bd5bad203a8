/**
 * Cuts a slice short so that it holds no more than a number of chars, at a line end where there is one: the rule by which
 * pages end, for a slice.
 *
 * @module
 */

import type { SliceMode } from "../disk/errors.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { type Slice, sliceOf } from "./locate_slice.ts";
import { byteOfChar, byteOfLine, charsBeforeByte, lineOfByte } from "./locate_text.ts";
import { openContent } from "./open_content.ts";
import type { Store } from "../store/open_store.ts";

/** A slice that was cut short, and exactly what of it is left. */
export interface BoundSlice {
  /** The part that stays. Its `mode`, `start` and `count` are those of the whole slice. */
  slice: Slice;
  /** Chars of the part, at most as many as were allowed. */
  charCount: number;
  /** What follows the part and belongs to the slice: whole lines of a line slice, chars of any other. */
  rest: { mode: SliceMode; start: number; count: number };
}

/**
 * The first part of `slice`, at most `maxChars` chars (1 or more) long; undefined where all of it fits. The part ends
 * after its last LF, or after exactly `maxChars` chars where it has none.
 */
export function boundSlice(
  store: Store,
  entry: FdEntry,
  slice: Slice,
  maxChars: number,
): BoundSlice | undefined {
  const content = openContent(store, entry);
  try {
    const fromChar = charsBeforeByte(content, slice.fromByte);
    const toChar = charsBeforeByte(content, slice.toByte);
    if (toChar - fromChar <= maxChars) return undefined;

    const limitByte = byteOfChar(content, fromChar + maxChars);
    const lineStart = byteOfLine(content, lineOfByte(content, limitByte));
    const endsAtLineEnd = lineStart > slice.fromByte;
    const toByte = endsAtLineEnd ? lineStart : limitByte;
    const part = sliceOf(content, slice, slice.fromByte, toByte);
    const cutChar = charsBeforeByte(content, toByte);
    const afterLast = slice.start + slice.count;
    const rest = slice.mode === "line" && endsAtLineEnd
      ? { mode: slice.mode, start: part.lastLine + 1, count: afterLast - (part.lastLine + 1) }
      : { mode: "char" as const, start: cutChar, count: toChar - cutChar };
    return { slice: part, charCount: cutChar - fromChar, rest };
  } finally {
    content.close();
  }
}
