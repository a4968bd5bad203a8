import { joinBytes, textKind, utf8Text } from "../../../fd/system.ts";
import { readStdin } from "./read_stdin.ts";
import { failUsage } from "../requests/usage_failure.ts";

const CHUNK_BYTES = 262_144;

/** Reads all of stdin, for content that is checked as a whole. Throws what {@link readStdin} throws. */
export function readStdinBytes(): Uint8Array {
  const chunks: Uint8Array[] = [];
  for (;;) {
    const chunk = new Uint8Array(CHUNK_BYTES);
    const byteCount = readStdin(chunk);
    if (byteCount === 0) return joinBytes(chunks);
    chunks.push(chunk.subarray(0, byteCount));
  }
}

/**
 * Reads all of stdin as text. Throws `bad_json`, naming `what`, for bytes that are not UTF-8, and what `readStdin`
 * throws.
 */
export function readStdinText(what: string): string {
  const bytes = readStdinBytes();
  if (textKind(bytes) === "neither") failUsage({ kind: "bad_json", what, reason: "the bytes are not UTF-8" });
  return utf8Text(bytes);
}
