/**
 * Output that may turn out to be small: held in memory until it has more chars than the threshold.
 *
 * @module
 */

import { countChars } from "../../fd/mod.ts";

/** The first bytes of a stream. */
export interface HeldOutput {
  /** Room for the next bytes, at least 16 KiB. Valid until the next call. */
  window(): Uint8Array;
  /** Takes the first `byteLength` bytes of the window. */
  accept(byteLength: number): void;
  /** Whether there are more chars than the threshold. */
  isOver(): boolean;
  /** Whether there are any bytes. */
  isBegun(): boolean;
  /** All bytes taken so far. Valid until the next `accept`. */
  bytes(): Uint8Array;
  /** Forgets the bytes. Their memory becomes room. */
  clear(): void;
}

const WINDOW_BYTES = 65_536;
const LEAST_WINDOW_BYTES = 16_384;

/** Holds what comes until there are more than `thresholdChars` chars of it. */
export function holdOutput(thresholdChars: number): HeldOutput {
  let memory = new Uint8Array(WINDOW_BYTES);
  let byteCount = 0;
  let over = false;
  /** With no more bytes than this, there cannot be more chars than the threshold. */
  let underUpTo = thresholdChars;

  const bytes = (): Uint8Array => memory.subarray(0, byteCount);
  return {
    window() {
      if (memory.length - byteCount < LEAST_WINDOW_BYTES) {
        const larger = new Uint8Array(memory.length * 2);
        larger.set(bytes());
        memory = larger;
      }
      return memory.subarray(byteCount);
    },
    accept(byteLength) {
      byteCount += byteLength;
      if (byteCount <= underUpTo) return;
      const charCount = countChars(bytes());
      if (charCount > thresholdChars) over = true;
      // Every further byte adds one char at most.
      else underUpTo = byteCount + thresholdChars - charCount;
    },
    isOver: () => over,
    isBegun: () => byteCount > 0,
    bytes,
    clear() {
      byteCount = 0;
    },
  };
}
