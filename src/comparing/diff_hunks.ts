/**
 * Changes as the hunks of a unified diff: with lines of context around them, and those whose contexts touch together.
 *
 * @module
 */

import type { ChangedLines } from "./align_lines.ts";

/** A hunk: its lines on both sides, context included, numbered from 0, and the changes in it. */
export interface Hunk extends ChangedLines {
  changes: ChangedLines[];
}

/** Makes hunks of changes as they come. */
export interface HunkMaker {
  /** Takes the next changes; answers the hunks that are complete. */
  add(changes: readonly ChangedLines[]): Hunk[];
  /** The last hunk, if there is one. */
  end(): Hunk[];
}

/** Starts to make hunks with `contextLines` lines around each change of a content of `oldLineCount` lines. */
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
 * The line that opens a hunk: its lines on both sides, from 1; the count left out where it is 1, and the line before it
 * where there is none.
 */
export function hunkHeader({ oldFirst, oldCount, newFirst, newCount }: ChangedLines): string {
  return `@@ -${range(oldFirst, oldCount)} +${range(newFirst, newCount)} @@\n`;
}

function range(first: number, count: number): string {
  if (count === 0) return `${first},0`;
  return count === 1 ? `${first + 1}` : `${first + 1},${count}`;
}
