/**
 * Shows bytes, lines and rate of a capture on stderr if that is a terminal, once the capture takes a while. Until then
 * it costs one fstat.
 *
 * @module
 */

import { countLineFeeds, utf8Bytes } from "../../fd/mod.ts";
import { sizeText } from "../answering/size_text.ts";
import { STDERR, writeChunks } from "../streams/standard_streams.ts";
import { isTerminal, mayBeTerminal } from "../streams/terminal.ts";

export interface ProgressLine {
  /** Counts the first `byteLength` bytes of `window`. Returns true if `show` is due. */
  count(window: Uint8Array, byteLength: number): boolean;
  show(): Promise<void>;
  erase(): void;
}

const SHOW_EVERY_MS = 200;
const ERASE = "\r\x1b[K";

/** Starts counting now or, if bytes have `arrived` already, from the start of this process. */
export function startProgress(arrived?: Uint8Array): ProgressLine {
  const startedAt = arrived === undefined ? performance.now() : 0;
  let watching = mayBeTerminal(STDERR);
  let known = false;
  let shown = false;
  let dueAt = startedAt + SHOW_EVERY_MS;
  let byteCount = arrived?.length ?? 0;
  let lineFeedCount = watching && arrived !== undefined ? countLineFeeds(arrived) : 0;

  const write = (text: string): void => {
    watching &&= writeChunks(STDERR, [utf8Bytes(text)]);
  };
  return {
    count(window, byteLength) {
      if (!watching) return false;
      byteCount += byteLength;
      lineFeedCount += countLineFeeds(window, byteLength);
      return performance.now() >= dueAt;
    },
    async show() {
      if (!known) {
        known = true;
        const isSeen = await isTerminal(STDERR);
        watching &&= isSeen;
      }
      if (!watching) return;
      const now = performance.now();
      dueAt = now + SHOW_EVERY_MS;
      shown = true;
      write(ERASE + progressText(byteCount, lineFeedCount, now - startedAt));
    },
    erase() {
      if (shown) write(ERASE);
      shown = false;
      watching = false;
    },
  };
}

/**
 * The line's text.
 *
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(progressText(3 * 2 ** 20, 1200, 2000), "3.0 MiB, 1200 lines, 1.5 MiB/s");
 * ```
 */
export function progressText(byteCount: number, lineFeedCount: number, elapsedMs: number): string {
  const perSecond = byteCount / Math.max(elapsedMs / 1000, 0.001);
  return `${sizeText(byteCount)}, ${lineFeedCount} lines, ${sizeText(perSecond)}/s`;
}
