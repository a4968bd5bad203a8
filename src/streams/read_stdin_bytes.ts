import { joinBytes } from "../../fd/system.ts";
import { readStdin } from "./read_stdin.ts";

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
