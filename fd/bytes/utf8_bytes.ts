/** Converts between text and bytes. `Buffer` does the same, but its first use costs 1/40 of a small call. */

import { nodeBuffer } from "../disk/loaded_late.ts";

// Made for the call that needs them: a capture that passes its input through needs none.
let encoder: TextEncoder | undefined;
let decoder: TextDecoder | undefined;

/** Encodes `text` as UTF-8; half a surrogate pair becomes U+FFFD. */
export function utf8Bytes(text: string): Uint8Array<ArrayBuffer> {
  encoder ??= new TextEncoder();
  return encoder.encode(text);
}

/** Decodes `bytes`: each ill-formed part becomes U+FFFD (contract, Units); a BOM is preserved. */
export function utf8Text(bytes: Uint8Array): string {
  decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
  return decoder.decode(bytes);
}

/** Classifies bytes as ASCII, other well-formed UTF-8, or neither. */
export function textKind(bytes: Uint8Array): "ascii" | "utf8" | "neither" {
  const { isAscii, isUtf8 } = nodeBuffer();
  return isAscii(bytes) ? "ascii" : isUtf8(bytes) ? "utf8" : "neither";
}

/** Concatenates `pieces`. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let byteLength = 0;
  for (const piece of pieces) byteLength += piece.length;
  const joined = new Uint8Array(byteLength);
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

/** Returns `bytes` if it has `wanted` bytes, else longer memory that starts with the first `length` of them. */
export function withRoom<Bytes extends Uint8Array>(
  bytes: Bytes,
  length: number,
  wanted: number,
): Bytes | Uint8Array<ArrayBuffer> {
  if (wanted <= bytes.length) return bytes;
  const longer = new Uint8Array(wanted > 2 * bytes.length ? wanted : 2 * bytes.length);
  longer.set(bytes.subarray(0, length));
  return longer;
}

/** Whether two sequences of bytes are the same. */
export function sameBytes(some: Uint8Array, others: Uint8Array): boolean {
  return some.length === others.length && some.every((byte, at) => byte === others[at]);
}

/** Writes bytes as hexadecimal digits. */
export function hexOf(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return hex;
}
