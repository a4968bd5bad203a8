/**
 * The order between two pipes of one command. The system does not tell it, so what one brings comes after all that the
 * other had ready at that moment: a message about output follows the output. Bytes may be in the pipe or on their way
 * from the thread that reads it; a mark in the pipe tells when they have come.
 */

import type { PipeReading, Take } from "./output_pipe.ts";

/** For so long after stderr has brought something, stdout waits for what may have been written before. */
const ACTIVE_MS = 1000;

/** If both were ready and one is so many times as long, the other is a message that came after it, or a line's rest. */
const MUCH_LONGER = 4;

const LF = 0x0a;

interface Side {
  take: Take;
  lastAtMs: number;
  /** Whether it has brought a part of a line. */
  isInLine: boolean;
  /** Bytes that wait until those of the other side have come. */
  waiting: { byteCount: number; go(): void } | undefined;
}

/** Makes the takes for stdout and stderr, whose `readings` are there when the first is called. */
export function takeInOrder(takes: readonly [Take, Take], readings: readonly PipeReading[]): [Take, Take] {
  const sideOf = (take: Take): Side => ({ take, lastAtMs: -Infinity, isInLine: false, waiting: undefined });
  const [out, err] = [sideOf(takes[0]), sideOf(takes[1])];
  const takeNow = (side: Side, bytes: Uint8Array): void | Promise<void> => {
    side.isInLine = bytes.at(-1) !== LF;
    return side.take(bytes);
  };
  const takeAfter = (side: Side, other: Side, bytes: Uint8Array): void | Promise<void> => {
    side.lastAtMs = performance.now();
    if (other.waiting !== undefined) {
      if (side.isInLine || other.waiting.byteCount <= MUCH_LONGER * bytes.length) return takeNow(side, bytes);
      other.waiting.go();
    } else if (side === out && side.lastAtMs - other.lastAtMs > ACTIVE_MS) return takeNow(side, bytes);
    return new Promise((resolve) => {
      const go = (): void => {
        if (side.waiting?.go !== go) return;
        side.waiting = undefined;
        resolve(takeNow(side, bytes));
      };
      side.waiting = { byteCount: bytes.length, go };
      readings[other === out ? 0 : 1]!.reach(go);
    });
  };
  return [(bytes) => takeAfter(out, err, bytes), (bytes) => takeAfter(err, out, bytes)];
}
