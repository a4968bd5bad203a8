/**
 * Writes all bytes: `write(2)` may take fewer than it was given, and may be interrupted.
 *
 * @module
 */

import { disk } from "./disk.ts";
import { systemCode } from "./errors.ts";

/**
 * Writes the first `byteLength` bytes of `bytes` to `file`, at its current position or at `position`. Throws the system's
 * error as it came.
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
      // A regular file takes nothing only when there is no room.
      if (taken === 0) throw Object.assign(new Error("no byte was taken"), { code: "ENOSPC" });
      written += taken;
    } catch (thrown) {
      if (systemCode(thrown) !== "EINTR") throw thrown;
    }
  }
}

/**
 * Takes back what a write that failed had written to `file`, of which `byteLength` bytes are to stay. Where the disk
 * refuses even that, who counted the bytes leaves the others out.
 */
export function takeBack(file: number, byteLength: number): void {
  try {
    disk.ftruncate(file, byteLength);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
}
