/**
 * What a renderer must know of a body before the first byte of the answer is out, and how its bytes are shown where
 * only text can stand. Bodies are walked, never held: a 1 GiB answer takes no more memory than a small one.
 *
 * @module
 */

import { Buffer, isUtf8 } from "node:buffer";
import { utf8Bytes } from "../../fd/mod.ts";
import type { Body } from "../answers.ts";

/** Bodies up to this size are read once and kept; larger ones are read again for each walk. */
const KEPT_BYTES = 262_144;

/** The same bytes, read once and for all, in one piece, where they are few. */
export function keepSmall(body: Body): Body {
  return body.byteLength > KEPT_BYTES ? body : inOnePiece(wholeOf(body));
}

function inOnePiece(bytes: Buffer): Body {
  return { byteLength: bytes.byteLength, chunks: () => [bytes] };
}

/** All bytes of a small body. */
function wholeOf(body: Body): Buffer {
  const chunks = body.chunks();
  // What stands in an array stays as it is; any other source may use a chunk's memory again for the next one.
  if (!Array.isArray(chunks)) return Buffer.concat(Array.from(chunks, (chunk) => new Uint8Array(chunk)));
  return chunks.length === 1 && Buffer.isBuffer(chunks[0]) ? chunks[0] : Buffer.concat(chunks);
}

/** Whether any of `needles` (ASCII) stands in the body, across chunks too. */
export function holdsAny(body: Body, needles: readonly string[]): boolean {
  let tail: Uint8Array = new Uint8Array(0);
  for (const chunk of body.chunks()) {
    const bytes = Buffer.isBuffer(chunk)
      ? chunk
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (const needle of needles) if (bytes.includes(needle)) return true;
    if (bytes.length === body.byteLength) break;
    const overlapBytes = Math.max(...needles.map((needle) => needle.length)) - 1;
    const seam = Buffer.concat([tail, bytes.subarray(0, overlapBytes)]);
    for (const needle of needles) if (seam.includes(needle)) return true;
    const both = bytes.length >= overlapBytes ? bytes : Buffer.concat([tail, bytes]);
    tail = new Uint8Array(both.subarray(Math.max(0, both.length - overlapBytes)));
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

/** What an answer is made of: fdtool's own words, and bodies. */
export type Part = string | Body;

/**
 * The parts in order, as well-formed UTF-8: of a body its own bytes where they are, U+FFFD for each ill-formed part. An
 * answer whose bodies are all small comes in one piece.
 */
export function shownBytes(parts: readonly Part[]): Iterable<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (const part of parts) {
    if (typeof part === "string") pieces.push(utf8Bytes(part));
    else if (part.byteLength <= KEPT_BYTES) pieces.push(asShown(wholeOf(part)));
    else return shownPieces(parts);
  }
  return [Buffer.concat(pieces)];
}

function* shownPieces(parts: readonly Part[]): Iterable<Uint8Array> {
  for (const part of parts) {
    if (typeof part === "string") yield utf8Bytes(part);
    else for (const piece of wholeChars(part)) yield asShown(piece);
  }
}

function asShown(bytes: Uint8Array): Uint8Array {
  if (isUtf8(bytes)) return bytes;
  return utf8Bytes(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
}
