/** Shows lines, bytes and rate of a capture to a person, once it takes a while. */

import type { Environment } from "../../fd/mod.ts";
import { countLineFeeds } from "../../fd/system.ts";
import { groupedDigits, sizeText } from "../answers/parts/grouped_digits.ts";
import { progressLine } from "../answers/screen/progress_line.ts";

export type CaptureProgress = Awaited<ReturnType<typeof startProgress>>;

const FIRST_AFTER_MS = 200;

/** Starts counting now or, if bytes have `arrived` already, from the start of this process. */
export async function startProgress(env: Environment, arrived?: Iterable<Uint8Array>) {
  const startedAt = arrived === undefined ? performance.now() : 0;
  const line = await progressLine(env, { startedAt, firstAfterMs: FIRST_AFTER_MS });
  let byteCount = 0;
  let lineFeedCount = 0;
  for (const piece of line.isWatched() ? arrived ?? [] : []) {
    byteCount += piece.length;
    lineFeedCount += countLineFeeds(piece);
  }
  return {
    /** Counts the first `byteLength` bytes of `window`. Returns true if `show` is due. */
    count(window: Uint8Array, byteLength: number): boolean {
      if (!line.isWatched()) return false;
      byteCount += byteLength;
      lineFeedCount += countLineFeeds(window, byteLength);
      return line.isDue();
    },
    show: (): void => line.show(progressText(byteCount, lineFeedCount, performance.now() - startedAt)),
    erase: line.end,
  };
}

/**
 * The line's text.
 *
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { progressText } from "./capture_progress.ts";
 * assertEquals(progressText(3 * 2 ** 20, 1200, 2000), "1,200 lines, 3.0 MiB, 1.5 MiB/s");
 * ```
 */
export function progressText(byteCount: number, lineFeedCount: number, elapsedMs: number): string {
  const perSecond = byteCount / Math.max(elapsedMs / 1000, 0.001);
  return `${groupedDigits(lineFeedCount)} lines, ${sizeText(byteCount)}, ${sizeText(perSecond)}/s`;
}
