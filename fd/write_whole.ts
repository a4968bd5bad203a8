/**
 * Writes all bytes: `write(2)` may take fewer than it was given, and may be interrupted.
 *
 * @module
 */

import { disk } from "./disk.ts";
import { systemCode } from "./errors.ts";

/** Writes the first `byteLength` bytes of `bytes` to `file` at its current position. Throws the system's error as it came. */
export function writeWhole(file: number, bytes: Uint8Array, byteLength = bytes.length): void {
  let written = 0;
  while (written < byteLength) {
    try {
      const taken = disk.write(file, bytes, written, byteLength - written, null);
      // A regular file takes nothing only when there is no room.
      if (taken === 0) throw Object.assign(new Error("no byte was taken"), { code: "ENOSPC" });
      written += taken;
    } catch (thrown) {
      if (systemCode(thrown) !== "EINTR") throw thrown;
    }
  }
}
