/**
 * What a renderer must know of a body before the first byte of the answer is out, and how its bytes are shown where
 * only text can stand. Bodies are walked, never held: a 1 GiB answer takes no more memory than a small one.
 *
 * @module
 */

import { Buffer, isUtf8 } from "node:buffer";
import type { Body } from "../answers.ts";

/** Bodies up to this size are read once and kept; larger ones are read again for each walk. */
const KEPT_BYTES = 262_144;

/** The same bytes, read once and for all where they are few. */
export function keepSmall(body: Body): Body {
  if (body.byteLength > KEPT_BYTES) return body;
  const kept: Uint8Array[] = [];
  for (const chunk of body.chunks()) kept.push(Buffer.from(chunk));
  const whole = kept.length === 1 ? kept[0]! : Buffer.concat(kept);
  return { byteLength: whole.byteLength, chunks: () => [whole] };
}

/** Whether any of `needles` (ASCII) stands in the body, across chunks too. */
export function holdsAny(body: Body, needles: readonly string[]): boolean {
  const overlapBytes = Math.max(...needles.map((needle) => needle.length)) - 1;
  let tail = Buffer.alloc(0);
  for (const chunk of body.chunks()) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const seam = Buffer.concat([tail, bytes.subarray(0, overlapBytes)]);
    for (const needle of needles) if (seam.includes(needle) || bytes.includes(needle)) return true;
    const both = bytes.length >= overlapBytes ? bytes : Buffer.concat([tail, bytes]);
    tail = Buffer.from(both.subarray(Math.max(0, both.length - overlapBytes)));
  }
  return false;
}

/** How many bytes at the end of `bytes` could be the start of a char that goes on in the next chunk (0 to 3). */
function openCharBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** The body's bytes in pieces that never end inside a char. */
function* wholeChars(body: Body): Iterable<Uint8Array> {
  let open: Uint8Array = new Uint8Array(0);
  for (const chunk of body.chunks()) {
    const bytes = open.length === 0 ? chunk : Buffer.concat([open, chunk]);
    const end = bytes.length - openCharBytes(bytes);
    if (end > 0) yield bytes.subarray(0, end);
    open = Buffer.from(bytes.subarray(end));
  }
  if (open.length > 0) yield open;
}

/** Whether all of the body is well-formed UTF-8. */
export function isWellFormed(body: Body): boolean {
  for (const piece of wholeChars(body)) if (!isUtf8(piece)) return false;
  return true;
}

/** The body as text, piece by piece; each ill-formed part is U+FFFD (SPEC section 2, char), a BOM stays. */
export function* decodedText(body: Body): Iterable<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (const piece of wholeChars(body)) yield decoder.decode(piece);
}

/** The body as well-formed UTF-8: its own bytes where they are, U+FFFD for each ill-formed part. */
export function* shownBytes(body: Body): Iterable<Uint8Array> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (const piece of wholeChars(body)) yield isUtf8(piece) ? piece : Buffer.from(decoder.decode(piece));
}
