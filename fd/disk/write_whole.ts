/** Writes all bytes: `write(2)` may write fewer than requested, or be interrupted. */

import { disk } from "./disk.ts";
import { systemCode } from "./errors.ts";

/**
 * Writes the first `byteLength` bytes of `bytes` to `file`, at `position` or else the current position.
 * Throws system errors unchanged.
 */
export function writeWhole(
  file: number,
  bytes: Uint8Array,
  byteLength = bytes.length,
  position: number | null = null,
): void {
  let written = 0;
  while (written < byteLength) {
    try {
      const at = position === null ? null : position + written;
      const taken = disk.write(file, bytes, written, byteLength - written, at);
      // Writing 0 bytes to a regular file means that the disk is full.
      if (taken === 0) throw Object.assign(new Error("no byte was taken"), { code: "ENOSPC" });
      written += taken;
    } catch (thrown) {
      if (systemCode(thrown) !== "EINTR") throw thrown;
    }
  }
}

/**
 * Truncates `file` back to `byteLength` after a failed write. Ignores system errors: the caller's byte count
 * excludes the rest anyway.
 */
export function truncateTo(file: number, byteLength: number): void {
  try {
    disk.ftruncate(file, byteLength);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
}
