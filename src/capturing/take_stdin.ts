/**
 * Reads stdin to where nobody wants more of it.
 *
 * @module
 */

import { FdError, type FdFailure } from "../../fd/mod.ts";
import { readStdin } from "../streams/read_stdin.ts";
import { lowerOtherThreads } from "./lower_other_threads.ts";
import type { ProgressLine } from "./progress_line.ts";

/**
 * Once so many bytes have come the loop is hot and the kernel of the scan compiled for the first time. Other threads start
 * later, so they are looked for again whenever as much has come again.
 */
const THREADS_RUN_FROM_BYTES = 4 * 2 ** 20;

/** What takes bytes: a window to put them in, and whether it has had enough. */
export interface ByteTaker {
  window(): Uint8Array;
  accept(byteLength: number): void;
}

/**
 * Reads stdin into `taker` until it ends or `isEnough`. Answers why it could not be read to there, if that is so: at once,
 * unless progress is to be shown meanwhile. `read` stands in for reading stdin.
 */
export function takeStdin(
  taker: ByteTaker,
  isEnough: () => boolean,
  progress: ProgressLine,
  read: (into: Uint8Array) => number = readStdin,
): FdFailure[] | Promise<FdFailure[]> {
  const taken = takeUntilDue(taker, isEnough, progress, read);
  return taken === "due" ? takeAndShow(taker, isEnough, progress, read) : taken;
}

async function takeAndShow(
  taker: ByteTaker,
  isEnough: () => boolean,
  progress: ProgressLine,
  read: (into: Uint8Array) => number,
): Promise<FdFailure[]> {
  for (;;) {
    await progress.show();
    const taken = takeUntilDue(taker, isEnough, progress, read);
    if (taken !== "due") return taken;
  }
}

function takeUntilDue(
  taker: ByteTaker,
  isEnough: () => boolean,
  progress: ProgressLine,
  read: (into: Uint8Array) => number,
): FdFailure[] | "due" {
  try {
    let takenBytes = 0;
    let lowerAtBytes = THREADS_RUN_FROM_BYTES;
    while (!isEnough()) {
      const window = taker.window();
      const byteLength = read(window);
      if (byteLength === 0) break;
      const isDue = progress.count(window, byteLength);
      taker.accept(byteLength);
      takenBytes += byteLength;
      if (takenBytes >= lowerAtBytes) {
        lowerOtherThreads();
        lowerAtBytes *= 2;
      }
      if (isDue) return "due";
    }
    return [];
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return [thrown.failure];
  }
}
