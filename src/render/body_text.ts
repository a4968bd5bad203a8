/**
 * What a renderer must know of a body before the first byte of the answer is out, and how its bytes are shown where
 * only text can stand. Bodies are walked, never held: a 1 GiB answer takes no more memory than a small one.
 *
 * @module
 */

import { joinBytes, nodeBuffer, textKind, utf8Bytes, utf8Text } from "../../fd/mod.ts";
import type { Body } from "../terms/answers.ts";

/** Bodies up to this size are read once and kept; larger ones are read again for each walk. */
const KEPT_BYTES = 262_144;

/** The same bytes, read once and for all, in one piece, where they are few. */
export function keepSmall(body: Body): Body {
  return body.bytes !== undefined || body.byteLength > KEPT_BYTES ? body : inOnePiece(wholeOf(body));
}

function inOnePiece(bytes: Uint8Array): Body {
  return { byteLength: bytes.byteLength, chunks: () => [bytes], bytes };
}

/** All bytes of a small body. */
function wholeOf(body: Body): Uint8Array {
  if (body.bytes !== undefined) return body.bytes;
  const chunks = body.chunks();
  // What stands in an array stays as it is; any other source may use a chunk's memory again for the next one.
  if (!Array.isArray(chunks)) return joinBytes(Array.from(chunks, (chunk) => new Uint8Array(chunk)));
  return chunks.length === 1 ? chunks[0] : joinBytes(chunks);
}

/** Whether any of `needles` (ASCII) stands in the body, across chunks too. */
export function holdsAny(body: Body, needles: readonly string[]): boolean {
  if (body.byteLength <= KEPT_BYTES) return holdsAnyText(utf8Text(wholeOf(body)), needles);
  const overlapBytes = Math.max(...needles.map((needle) => needle.length)) - 1;
  let tail: Uint8Array = new Uint8Array(0);
  for (const chunk of body.chunks()) {
    const bytes = joinBytes([tail, chunk]);
    if (holdsAnyText(utf8Text(bytes), needles)) return true;
    tail = bytes.subarray(Math.max(0, bytes.length - overlapBytes));
  }
  return false;
}

function holdsAnyText(text: string, needles: readonly string[]): boolean {
  for (const needle of needles) if (text.includes(needle)) return true;
  return false;
}

/** How many bytes at the end of `bytes` could be the start of a char that goes on in the next chunk (0 to 3). */
export function openCharBytes(bytes: Uint8Array): number {
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
    const bytes = open.length === 0 ? chunk : joinBytes([open, chunk]);
    const end = bytes.length - openCharBytes(bytes);
    if (end > 0) yield bytes.subarray(0, end);
    open = bytes.slice(end);
  }
  if (open.length > 0) yield open;
}

/** Whether all of the body is well-formed UTF-8. */
export function isWellFormed(body: Body): boolean {
  for (const piece of wholeChars(body)) if (!nodeBuffer().isUtf8(piece)) return false;
  return true;
}

/** The body as text, piece by piece; each ill-formed part is U+FFFD (contract, Units), a BOM stays. */
export function* decodedText(body: Body): Iterable<string> {
  for (const piece of wholeChars(body)) yield utf8Text(piece);
}

/** What an answer is made of: fdtool's own words, and bodies. */
export type Part = string | Body;

/** An answer of more parts than this is large, whatever they are. */
const MANY_PARTS = 64;

/**
 * The parts in order, as well-formed UTF-8: of a body its own bytes where they are, U+FFFD for each ill-formed part. An
 * answer of few parts whose bodies are all small comes in one piece.
 */
export function shownBytes(parts: readonly Part[]): Iterable<Uint8Array> {
  if (parts.length > MANY_PARTS) return shownPieces(parts);
  let text = "";
  for (const part of parts) {
    if (typeof part === "string") text += part;
    else if (part.byteLength <= KEPT_BYTES) text += utf8Text(wholeOf(part));
    else return shownPieces(parts);
  }
  return [utf8Bytes(text)];
}

function* shownPieces(parts: readonly Part[]): Iterable<Uint8Array> {
  for (const part of parts) {
    if (typeof part === "string") yield utf8Bytes(part);
    else for (const piece of wholeChars(part)) yield asShown(piece);
  }
}

function asShown(bytes: Uint8Array): Uint8Array {
  return textKind(bytes) === "neither" ? utf8Bytes(utf8Text(bytes)) : bytes;
}
