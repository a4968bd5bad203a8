/** Shows a person how far long work is: how much of how much, how fast, how long it still takes; or what arrives. */

import { type Environment, type FdEntry, formatFd } from "../../../fd/mod.ts";
import type { OnProgress } from "../../../fd/system.ts";
import { counted, groupedDigits, sizeText } from "../parts/grouped_digits.ts";
import { durationText } from "../parts/moment_text.ts";
import { progressLine } from "./progress_line.ts";

export type WorkProgress = Awaited<ReturnType<typeof startWork>>;

export async function startWork(env: Environment) {
  const line = await progressLine(env);
  let since: { what: string; atMs: number; bytes: number } | undefined;
  return {
    ...line,
    /**
     * Notes that `doneBytes` of `what` ("importing") are done; cheap. The rate is that since the first report with the
     * same words.
     */
    report(what: string, ...[doneBytes, totalBytes]: Parameters<OnProgress>): void {
      if (!line.isWatched()) return;
      if (since?.what !== what) since = { what, atMs: performance.now(), bytes: doneBytes };
      if (!line.isDue()) return;
      const rate = 1000 * (doneBytes - since.bytes) / Math.max(performance.now() - since.atMs, 1);
      line.show(`${what} ${workText(doneBytes, totalBytes?.(), rate)}`);
    },
  };
}

/**
 * The line's text; `rate` is in bytes a second.
 *
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { workText } from "./work_progress.ts";
 * assertEquals(workText(2 ** 30, 4 * 2 ** 30, 2 ** 28), "1.0 GiB of 4.0 GiB, 25%, 256.0 MiB/s, 12.0 s left");
 * assertEquals(workText(2 ** 20, undefined, 2 ** 19), "1.0 MiB, 512.0 KiB/s");
 * ```
 */
export function workText(doneBytes: number, totalBytes: number | undefined, rate: number): string {
  const speed = `${sizeText(rate)}/s`;
  if (totalBytes === undefined || totalBytes < doneBytes) return `${sizeText(doneBytes)}, ${speed}`;
  const percent = totalBytes === 0 ? 100 : Math.floor(100 * doneBytes / totalBytes);
  const left = rate <= 0 ? "" : `, ${durationText(1000 * (totalBytes - doneBytes) / rate)} left`;
  return `${sizeText(doneBytes)} of ${sizeText(totalBytes)}, ${percent}%, ${speed}${left}`;
}

/** Shows a person what an fd has while they wait for its end. */
export async function waitingLine(env: Environment) {
  const startedAt = performance.now();
  const line = await progressLine(env, { startedAt });
  return {
    /** Shows the fd, if that is due; only then `current` is called. */
    look(current: () => FdEntry): void {
      if (!line.isDue()) return;
      const { id, lineCount, byteCount } = current();
      const so = `${counted(lineCount, "line", groupedDigits)}, ${sizeText(byteCount)}`;
      line.show(`waiting for ${formatFd(id)}: ${so}, ${durationText(performance.now() - startedAt)}`);
    },
    end: line.end,
  };
}
