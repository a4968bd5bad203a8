/**
 * Standard input as text, all of it: for JSON, which means nothing in part.
 *
 * @module
 */

import { Buffer, isUtf8 } from "node:buffer";
import { readStdin } from "./read_stdin.ts";
import { failUsage } from "./usage_failure.ts";

const CHUNK_BYTES = 65_536;

/** All of stdin. Throws `bad_json`, with `what` in it, for bytes that are not UTF-8, and what {@link readStdin} throws. */
export function readStdinText(what: string): string {
  const chunks: Uint8Array[] = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const byteCount = readStdin(chunk);
    if (byteCount === 0) break;
    chunks.push(chunk.subarray(0, byteCount));
  }
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) failUsage({ kind: "bad_json", what, reason: "the bytes are not UTF-8" });
  return bytes.toString("utf8");
}
