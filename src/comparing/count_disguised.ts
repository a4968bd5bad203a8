/** Counts the lines that two contents have in common only because a part of them is ignored. */

import type { ChangedLines } from "./align_lines.ts";

export interface DisguisedCounter {
  /** Takes the next change. Lines before it are pairs. */
  pass(change: ChangedLines): void;
  /** Ends both contents. Returns how many pairs differ. */
  end(): number;
}

/** Takes the sums of both contents' lines, with nothing ignored, from the line at which changes are numbered 0. */
export function disguisedCounter(before: Iterable<number>, after: Iterable<number>): DisguisedCounter {
  const older = before[Symbol.iterator]();
  const newer = after[Symbol.iterator]();
  let oldLine = 0;
  let count = 0;

  function pairUntil(oldEnd: number): void {
    for (; oldLine < oldEnd; oldLine++) {
      const one = older.next();
      const other = newer.next();
      if (one.done === true || other.done === true) return;
      if (one.value !== other.value) count++;
    }
  }

  return {
    pass({ oldFirst, oldCount, newCount }) {
      pairUntil(oldFirst);
      for (let line = 0; line < oldCount; line++) older.next();
      for (let line = 0; line < newCount; line++) newer.next();
      oldLine += oldCount;
    },
    end() {
      pairUntil(Infinity);
      return count;
    },
  };
}
