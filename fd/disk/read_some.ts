/**
 * Reads some of a file, from where the last read ended: a read that a signal interrupted before any byte came is no failure.
 *
 * @module
 */

import { disk } from "./disk.ts";
import { fail, failureOfSystem, systemCode } from "./errors.ts";

/**
 * Reads at most `length` bytes of the open `file`, which failures call `path`; answers how many came, 0 at its end.
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
