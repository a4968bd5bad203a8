import { disk, failureIn, type FdFailure, ifPossible } from "../../fd/system.ts";
import type { CaptureProgress } from "./capture_progress.ts";
import type { Interruption } from "./interruption.ts";
import {
  acceptOutput,
  type Input,
  type OutputSink,
  readInput,
  storeHeld,
  watchLong,
} from "./store_output.ts";

/**
 * By then the loop is hot and the scan kernel compiled. Threads that start later are lowered whenever the amount
 * doubles.
 */
const THREADS_RUN_FROM_BYTES = 4 * 2 ** 20;

/**
 * Reads `input`, which a person at a terminal may watch, until it ends or the sink drops everything. The sink's window
 * already holds `pendingBytes`, if any. Returns why it could not be read to its end, if so. An interruption ends it, too.
 */
export async function readRest(
  sink: OutputSink,
  pendingBytes: number | undefined,
  input: Input,
  progress: CaptureProgress | undefined,
  interruption: Interruption | undefined,
): Promise<FdFailure[]> {
  let acceptedBytes = 0;
  let lowerAtBytes = THREADS_RUN_FROM_BYTES;
  try {
    for (let pending = pendingBytes;; pending = undefined) {
      const byteLength = pending ??
        (interruption === undefined
          ? readInput(sink, input)
          : await readUnlessInterrupted(sink, input, interruption));
      if (byteLength === 0) break;
      const window = sink.put.window();
      const isDue = progress?.count(window, byteLength) === true;
      acceptOutput(sink, byteLength);
      acceptedBytes += byteLength;
      if (acceptedBytes >= lowerAtBytes) {
        lowerOtherThreads();
        lowerAtBytes *= 2;
      }
      if (isDue) {
        progress?.show();
        await interruption?.turn();
      }
      if (sink.watcher === undefined) await watchLong(sink);
      // Further bytes would be dropped: storing failed and the reader is gone.
      if (sink.failed !== undefined && !sink.isReaderOpen) break;
    }
    // Ctrl-C ends what writes the input, too.
    await interruption?.turn();
    return [];
  } catch (thrown) {
    return [failureIn(thrown)];
  }
}

/** Reads like {@link readInput}. Returns 0 after an interruption. */
async function readUnlessInterrupted(
  sink: OutputSink,
  input: Input,
  interruption: Interruption,
): Promise<number> {
  if (interruption.happened()) return 0;
  const byteLength = input.readNow(sink.put.window());
  if (byteLength !== undefined) return byteLength;
  storeHeld(sink);
  return await interruption.read(sink) ?? input.read(sink.put.window());
}

/**
 * Gives all threads of this process but the first, which reads, a low priority (nice 10). Does nothing if threads
 * cannot be listed or changed (not Linux, no `/proc`, or the `/proc` of another namespace).
 *
 * The runtime compiles and collects garbage in threads of its own. During a long capture they compete with the writing
 * program and with the reading thread: on two processors, 256 MiB took a tenth longer.
 *
 * Not nice 19: a process ends when its last thread does, and on busy processors such a thread ended 0.2 s late.
 */
function lowerOtherThreads(): void {
  const { constants, setPriority } = process.getBuiltinModule("node:os");
  const threads = (ifPossible(() => disk.readdir("/proc/self/task")) ?? []).map(Number);
  if (!threads.includes(process.pid)) return;
  for (const thread of threads) {
    if (thread === process.pid) continue;
    // The thread may have ended meanwhile.
    ifPossible(() => setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL));
  }
}
