/** Forwards bytes to stdout or stderr as they arrive: for `--tee`, and if storing failed. */

import type { FdFailure } from "../../fd/system.ts";
import { STDERR, STDOUT, streamFailure, writeChunks } from "../calls/streams/standard_streams.ts";

export interface ForwardTarget {
  /** Writes all of `bytes`. Returns false if the reader has closed the pipe, which is not a failure. */
  forward(bytes: Uint8Array): boolean;
  /** Write failures, for instance of a full disk behind stdout. */
  failures: readonly FdFailure[];
}

/** Forwards to `stream`; calls `beforeEach` before each write. */
export function forwardTo(stream: "stdout" | "stderr", beforeEach: () => void = () => {}): ForwardTarget {
  const descriptor = stream === "stdout" ? STDOUT : STDERR;
  const failures: FdFailure[] = [];
  return {
    failures,
    forward(bytes) {
      beforeEach();
      try {
        return writeChunks(descriptor, [bytes]);
      } catch (thrown) {
        failures.push(streamFailure(thrown, descriptor));
        return false;
      }
    },
  };
}
