/** Content that comes in pieces, as one. @module */

/**
 * All of a content that comes in pieces, which may be overwritten once the next is asked for. Where `byteCount` is what
 * comes, no byte is copied twice and no more memory is taken; it may be wrong.
 */
export function gatherBytes(chunks: Iterable<Uint8Array>, byteCount = 0): Uint8Array {
  let gathered = new Uint8Array(byteCount);
  let length = 0;
  for (const chunk of chunks) {
    if (length + chunk.length > gathered.length) {
      const wider = new Uint8Array(Math.max(length + chunk.length, 2 * length));
      wider.set(gathered.subarray(0, length));
      gathered = wider;
    }
    gathered.set(chunk, length);
    length += chunk.length;
  }
  return gathered.subarray(0, length);
}
