import { Buffer, isUtf8 } from "node:buffer";
import { readStdinBytes } from "./read_stdin_bytes.ts";
import { failUsage } from "../requests/usage_failure.ts";

/**
 * Reads all of stdin as text. Throws `bad_json`, naming `what`, for bytes that are not UTF-8, and what `readStdin`
 * throws.
 */
export function readStdinText(what: string): string {
  const bytes = readStdinBytes();
  if (!isUtf8(bytes)) failUsage({ kind: "bad_json", what, reason: "the bytes are not UTF-8" });
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
