/** Reads from a file's current position, retrying reads interrupted by a signal (EINTR). */

import { disk } from "./disk.ts";
import { fail, failureOfSystem, systemCode } from "./errors.ts";

/**
 * Reads at most `length` bytes of the open `file`; `path` is used in failures. Returns the number read, 0 at
 * the end.
 *
 * @throws {FdError} `read_error`.
 */
export function readSome(file: number, into: Uint8Array, length: number, path: string): number {
  for (;;) {
    try {
      return disk.read(file, into, 0, length, null);
    } catch (thrown) {
      if (systemCode(thrown) !== "EINTR") return fail(failureOfSystem(thrown, "read", "read", path));
    }
  }
}
