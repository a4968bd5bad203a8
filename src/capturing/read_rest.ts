import { FdError, type FdFailure } from "../../fd/mod.ts";
import { lowerOtherThreads } from "./lower_other_threads.ts";
import type { CaptureProgress } from "./capture_progress.ts";
import { type Input, readInput } from "./read_input.ts";
import {
  acceptOutput,
  isIdle,
  isUnwatched,
  type OutputSink,
  outputWindow,
  watchOutput,
} from "./store_output.ts";

/**
 * By then the loop is hot and the scan kernel compiled. Threads that start later are lowered whenever the amount
 * doubles.
 */
const THREADS_RUN_FROM_BYTES = 4 * 2 ** 20;

/**
 * Reads `input` until it ends or the sink drops everything. The sink's window already holds `pendingBytes`.
 * Returns why it could not be read to its end, if so.
 */
export async function readRest(
  sink: OutputSink,
  pendingBytes: number,
  progress: CaptureProgress | undefined,
  input: Input,
): Promise<FdFailure[]> {
  let acceptedBytes = 0;
  let lowerAtBytes = THREADS_RUN_FROM_BYTES;
  try {
    let window = outputWindow(sink);
    for (let byteLength = pendingBytes; byteLength > 0;) {
      const isDue = progress?.count(window, byteLength) === true;
      acceptOutput(sink, byteLength);
      acceptedBytes += byteLength;
      if (acceptedBytes >= lowerAtBytes) {
        lowerOtherThreads();
        lowerAtBytes *= 2;
      }
      if (isDue) progress?.show();
      if (isUnwatched(sink)) await watch(sink);
      if (isIdle(sink)) break;
      byteLength = readInput(sink, input);
      window = outputWindow(sink);
    }
    return [];
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return [thrown.failure];
  }
}

/** Watches output that has become long. */
async function watch(sink: OutputSink): Promise<void> {
  const { watchContent } = await import("../digest/watch_content.ts");
  watchOutput(sink, watchContent());
}
