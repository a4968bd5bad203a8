/**
 * Hands bytes on to stdout or stderr while more of them come: `--tee`, and output that could not be stored.
 *
 * @module
 */

import type { FdFailure } from "../../fd/mod.ts";
import { STDERR, STDOUT, streamFailure, writeChunks } from "../streams/standard_streams.ts";
import { isTerminal } from "../streams/terminal.ts";

/** Whether what is handed on to `stream` is seen where fdtool's own words on stderr are: both are terminals. */
export async function isSeenBeside(stream: "stdout" | "stderr"): Promise<boolean> {
  return await isTerminal(STDERR) && (stream === "stderr" || await isTerminal(STDOUT));
}

/** A way out for bytes. */
export interface WayOut {
  /** Writes all of `bytes`; answers whether anybody still takes them. A reader that has gone is no failure. */
  handOn(bytes: Uint8Array): boolean;
  /** Why bytes could not be written, if that is so: a full disk behind stdout. */
  failures: readonly FdFailure[];
}

/** The way out through `stream`; `beforeEach` is called before bytes go there. */
export function wayOut(stream: "stdout" | "stderr", beforeEach: () => void = () => {}): WayOut {
  const descriptor = stream === "stdout" ? STDOUT : STDERR;
  const failures: FdFailure[] = [];
  return {
    failures,
    handOn(bytes) {
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
