/**
 * Reads standard input by blocking reads of descriptor 0. `process.stdin` is never touched: in Bun even a look at it
 * makes the pipe non-blocking for good, for this process and for everybody else who holds it.
 *
 * @module
 */

import { disk, fail, failureOfSystem, pause, systemCode } from "../../fd/mod.ts";

const STDIN = 0;
const FIRST_WAIT_MS = 0.2;
const LONGEST_WAIT_MS = 5;

/**
 * Reads what has arrived on stdin into `into`, waiting until something has. Answers how many bytes came; 0 at the end.
 * A closed stdin is an empty one.
 *
 * @throws {FdError} `read_error` or `permission_error`: stdin is a directory, a disk failed.
 */
export function readStdin(into: Uint8Array): number {
  let waitMs = FIRST_WAIT_MS;
  for (;;) {
    try {
      return disk.read(STDIN, into, 0, into.length, null);
    } catch (thrown) {
      switch (systemCode(thrown)) {
        case "EAGAIN":
        case "EWOULDBLOCK":
          // Whoever started us shares a non-blocking descriptor with us. Nobody tells when it has bytes again.
          pause(waitMs);
          waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
          break;
        case "EINTR":
          break;
        case "EBADF": // closed
        case "EOF": // the end of a pipe on Windows
          return 0;
        default:
          fail(failureOfSystem(thrown, "read", "read", "stdin"));
      }
    }
  }
}
