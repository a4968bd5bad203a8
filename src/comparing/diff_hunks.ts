/** Groups changes into the hunks of a unified diff: changes whose contexts touch share a hunk. */

import type { ChangedLines } from "./align_lines.ts";

/** A hunk's lines on both sides, context included, from 0, and its changes. */
export interface Hunk extends ChangedLines {
  changes: ChangedLines[];
}

export interface HunkMaker {
  /** Adds the next changes; returns the hunks that are complete. */
  add(changes: readonly ChangedLines[]): Hunk[];
  end(): Hunk[];
}

/** Starts grouping, with `contextLines` lines around each change of a content of `oldLineCount` lines. */
export function startHunks(contextLines: number, oldLineCount: number): HunkMaker {
  let open: ChangedLines[] = [];

  const close = (): Hunk[] => {
    const first = open[0];
    const last = open.at(-1);
    if (first === undefined || last === undefined) return [];
    const before = Math.min(contextLines, first.oldFirst);
    const oldEnd = last.oldFirst + last.oldCount;
    const after = Math.min(contextLines, oldLineCount - oldEnd);
    const oldFirst = first.oldFirst - before;
    const newFirst = first.newFirst - before;
    const hunk = {
      oldFirst,
      oldCount: oldEnd + after - oldFirst,
      newFirst,
      newCount: last.newFirst + last.newCount + after - newFirst,
      changes: open,
    };
    open = [];
    return [hunk];
  };

  return {
    add(changes) {
      const hunks: Hunk[] = [];
      for (const change of changes) {
        const last = open.at(-1);
        if (last !== undefined && touches(last, change)) {
          open[open.length - 1] = {
            ...last,
            oldCount: last.oldCount + change.oldCount,
            newCount: last.newCount + change.newCount,
          };
          continue;
        }
        const isNear = last !== undefined &&
          change.oldFirst - (last.oldFirst + last.oldCount) <= 2 * contextLines;
        if (!isNear) hunks.push(...close());
        open.push(change);
      }
      return hunks;
    },
    end: close,
  };
}

function touches(change: ChangedLines, next: ChangedLines): boolean {
  return next.oldFirst === change.oldFirst + change.oldCount &&
    next.newFirst === change.newFirst + change.newCount;
}

/**
 * The hunk's header line, with line numbers from 1. A count of 1 is left out; for a count of 0 the number is that of
 * the line before.
 */
export function hunkHeader({ oldFirst, oldCount, newFirst, newCount }: ChangedLines): string {
  return `@@ -${range(oldFirst, oldCount)} +${range(newFirst, newCount)} @@\n`;
}

function range(first: number, count: number): string {
  if (count === 0) return `${first},0`;
  return count === 1 ? `${first + 1}` : `${first + 1},${count}`;
}
