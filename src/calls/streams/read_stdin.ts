/**
 * Reads stdin by blocking reads of descriptor 0. `process.stdin` is never touched: in Bun, even an access makes the
 * pipe non-blocking for good, for every process that shares it.
 */

import { constants } from "node:fs";
import { disk, fail, failureOfSystem, pause, systemCode } from "../../../fd/system.ts";

const STDIN = 0;
const FIRST_WAIT_MS = 0.2;
const LONGEST_WAIT_MS = 5;

/**
 * Reads available bytes of stdin into `into`, and waits for the first. Returns their count; 0 at the end. A closed
 * stdin is empty.
 *
 * @throws {FdError} `read_error` or `permission_error`, for instance if stdin is a directory.
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
          // The process that started this one made the descriptor non-blocking; nothing signals when it is readable.
          pause(waitMs);
          waitMs = waitMs * 2 < LONGEST_WAIT_MS ? waitMs * 2 : LONGEST_WAIT_MS;
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

/** Stdin opened once more, if it is a pipe: the flags of descriptor 0 are those of every process that shares it. */
let pipe: number | undefined;

/**
 * Reads stdin like {@link readStdin} if that does not wait. Returns undefined if it would, or if that cannot be known.
 */
export function readStdinNow(into: Uint8Array): number | undefined {
  try {
    if (pipe === undefined) {
      const stat = disk.fstat(STDIN);
      if (stat.isFile()) return readStdin(into);
      if (!stat.isFIFO()) return undefined;
      // Stays open, as descriptor 0 does: closing it would be one more call of each small capture.
      pipe = disk.open("/proc/self/fd/0", constants.O_RDONLY | constants.O_NONBLOCK);
    }
    return disk.read(pipe, into, 0, into.length, null);
  } catch (thrown) {
    // EAGAIN: it would wait. After any other, a read that may wait says what is wrong.
    if (systemCode(thrown) === undefined) throw thrown;
    return undefined;
  }
}
