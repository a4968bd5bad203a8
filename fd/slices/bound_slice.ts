/**
 * Shortens a slice to a maximum number of chars, at a line end if there is one: the rule for pages, applied to
 * slices.
 */

import type { SliceMode } from "../failures.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { type Slice, sliceOf } from "./locate_slice.ts";
import { blocksWithin, byteOfChar, byteOfLine, charsBeforeByte, lineOfByte } from "./locate_text.ts";
import { type OpenContent, openContent } from "./open_content.ts";
import type { Store } from "../store/open_store.ts";

/** The first part of a slice, and the rest. */
export interface BoundSlice {
  /** The part. Its `mode`, `start` and `count` are those of the whole slice. */
  slice: Slice;
  /** Chars in the part, at most the maximum. */
  charCount: number;
  /** The rest of the slice: whole lines of a line slice, otherwise chars. */
  rest: { mode: SliceMode; start: number; count: number };
}

/**
 * Returns the first part of `slice`, at most `maxChars` chars (1 or more), or undefined if all of it fits. The part
 * ends after its last LF or, if it has none, after exactly `maxChars` chars.
 */
export function boundSlice(
  store: Store,
  entry: FdEntry,
  slice: Slice,
  maxChars: number,
): BoundSlice | undefined {
  const content = openContent(store, entry);
  try {
    return boundIn(content, slice, maxChars);
  } finally {
    content.close();
  }
}

/** Like {@link boundSlice}, for content that is already open. */
export function boundIn(content: OpenContent, slice: Slice, maxChars: number): BoundSlice | undefined {
  const fromChar = charsBeforeByte(content, slice.fromByte);
  const toChar = charsBeforeByte(content, slice.toByte);
  if (toChar - fromChar <= maxChars) return undefined;

  const among = blocksWithin(slice.fromByte, maxChars);
  const limitByte = byteOfChar(content, fromChar + maxChars, among);
  const limitLine = lineOfByte(content, limitByte);
  const endsAtLineEnd = limitLine > lineOfByte(content, slice.fromByte);
  const toByte = endsAtLineEnd ? byteOfLine(content, limitLine, among) : limitByte;
  const part = sliceOf(content, slice, slice.fromByte, toByte);
  const cutChar = charsBeforeByte(content, toByte);
  const afterLast = slice.start + slice.count;
  const rest = slice.mode === "line" && endsAtLineEnd
    ? { mode: slice.mode, start: part.lastLine + 1, count: afterLast - (part.lastLine + 1) }
    : { mode: "char" as const, start: cutChar, count: toChar - cutChar };
  return { slice: part, charCount: cutChar - fromChar, rest };
}
