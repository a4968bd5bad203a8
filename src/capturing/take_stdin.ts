/**
 * Reads stdin to where nobody wants more of it.
 *
 * @module
 */

import { FdError, type FdFailure } from "../../fd/mod.ts";
import { readStdin } from "../read_stdin.ts";
import { lowerOtherThreads } from "./lower_other_threads.ts";
import type { ProgressLine } from "./progress_line.ts";

/**
 * After so many reads the loop is hot and the kernel of the scan compiled for the first time; after as many as the
 * second, all threads run that will.
 */
const THREADS_RUN_AT = 64;
const ALL_THREADS_RUN_AT = 256;

/** What takes bytes: a window to put them in, and whether it has had enough. */
export interface ByteTaker {
  window(): Uint8Array;
  accept(byteLength: number): void;
}

/**
 * Reads stdin into `taker` until it ends or `isEnough`. Answers why it could not be read to there, if that is so: at once,
 * unless progress is to be shown meanwhile. `read` stands in for the reading where stdin holds more than what is to be
 * taken.
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
    for (let readCount = 1; !isEnough(); readCount++) {
      const window = taker.window();
      const byteLength = read(window);
      if (byteLength === 0) break;
      const isDue = progress.count(window, byteLength);
      taker.accept(byteLength);
      if (readCount === THREADS_RUN_AT || readCount === ALL_THREADS_RUN_AT) lowerOtherThreads();
      if (isDue) return "due";
    }
    return [];
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return [thrown.failure];
  }
}
