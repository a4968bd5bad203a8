/** Pieces of content as one. @module */

/** The pieces as one. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let length = 0;
  for (const piece of pieces) {
    whole.set(piece, length);
    length += piece.length;
  }
  return whole;
}

/** All of a content that comes in pieces, which may be overwritten once the next is asked for. */
export function gatherBytes(chunks: Iterable<Uint8Array>): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (const chunk of chunks) pieces.push(chunk.slice());
  return pieces.length === 1 ? pieces[0]! : joinBytes(pieces);
}
