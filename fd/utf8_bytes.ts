/**
 * Text as bytes. `Buffer.from` does the same, but its first call costs a small command a fiftieth of its time.
 *
 * @module
 */

const encoder = new TextEncoder();

/** `text` as UTF-8; half a surrogate pair becomes U+FFFD. */
export function utf8Bytes(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}
