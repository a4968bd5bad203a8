/** The clean view of a slice (contract, The clean view), in pieces, so that memory use does not grow with it. */

import { joinBytes } from "../bytes/utf8_bytes.ts";
import { cleanChunks, Cleaning } from "../clean/clean_text.ts";
import type { Slice } from "./locate_slice.ts";
import { contextStart } from "./needs_cleaning_in.ts";
import type { OpenContent } from "./open_content.ts";
import { type ByteSource, readIn, readSlice, readWhole } from "./read_slice.ts";
import type { Store } from "../store/open_store.ts";

/** The clean view of a slice. */
export interface CleanSlice {
  body: ByteSource;
  /** Chars of the slice that are not shown. */
  leftOutChars: number;
}

/** A slice up to this size is cleaned once; a longer one again each time it is walked. */
const CLEANED_AT_ONCE_BYTES = 65_536;

/**
 * Cleans a slice. What precedes it in its first line decides how it begins: inside a sequence or a redrawn row, only what
 * the slice itself leaves standing is shown.
 *
 * @throws {FdError} `store_corrupt` if the bytes differ from those stored.
 */
export function cleanSlice(
  store: Store,
  content: OpenContent,
  slice: Pick<Slice, "fromByte" | "toByte" | "truncated">,
): CleanSlice {
  const before = readWhole(readIn(store, content, {
    fromByte: contextStart(content, slice.fromByte),
    toByte: slice.fromByte,
  }));
  const start = () => {
    const cleaning = new Cleaning();
    if (before.length > 0) cleaning.startAfter(before);
    return cleaning;
  };
  const isSmall = slice.toByte - slice.fromByte <= CLEANED_AT_ONCE_BYTES;
  const stored = isSmall ? readIn(store, content, slice) : readSlice(store, content.entry, slice);
  const cleaning = start();
  if (isSmall) {
    const pieces: Uint8Array[] = [];
    for (const piece of cleanChunks(stored.chunks(), cleaning, slice.truncated)) pieces.push(piece.slice());
    const bytes = joinBytes(pieces);
    const body = { byteLength: bytes.length, chunks: () => [bytes], bytes };
    return { body, leftOutChars: cleaning.leftOutChars };
  }
  let byteLength = 0;
  for (const piece of cleanChunks(stored.chunks(), cleaning, slice.truncated)) byteLength += piece.length;
  const body = { byteLength, chunks: () => cleanChunks(stored.chunks(), start(), slice.truncated) };
  return { body, leftOutChars: cleaning.leftOutChars };
}
