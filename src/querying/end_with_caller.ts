/**
 * Ends the process that evaluates a filter when its caller is gone, however that ended: nothing else would stop a filter
 * that never ends, or what it writes.
 */

import { Worker } from "node:worker_threads";

/** The pipe that only the caller has open for writing. It is never written to. */
const CALLER_PIPE = 3;

/** Waits for the end of the pipe in a thread of its own, since the filter occupies this one. */
const WAIT = `
import("node:fs").then(({ readSync }) => {
  try {
    if (readSync(${CALLER_PIPE}, new Uint8Array(1)) === 0) process.kill(process.pid, "SIGKILL");
  } catch {}
});
`;

/** Starts to watch the caller. Without a pipe, as in a call by hand, nothing happens. */
export function endWithCaller(): void {
  new Worker(WAIT, { eval: true }).unref();
}
