/** Joins content that comes in pieces. */

/**
 * Joins pieces, each of which may be overwritten once the next is asked for. If `byteCount`, an estimate, is right,
 * no byte is copied twice.
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
