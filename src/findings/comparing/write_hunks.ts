/** Writes the hunks of a unified diff as they are found, of contents of any size. */

import { Buffer } from "node:buffer";
import type { ChangedLines } from "./align_lines.ts";

/** Takes a piece of a diff, which is valid until the next one. */
export type Write = (piece: Uint8Array) => void;

/** One content of a diff. */
export interface DiffSide {
  name: string;
  lines: LineCursor;
}

/**
 * Starts a diff with `contextLines` lines around each change of a content of `oldLineCount` lines. Changes whose
 * contexts touch share a hunk. Nothing is written before the first hunk.
 */
export function startDiff(
  [before, after]: readonly [DiffSide, DiffSide],
  contextLines: number,
  oldLineCount: number,
  write: Write,
) {
  let open: ChangedLines[] = [];
  let hunkCount = 0;
  const say = (text: string) => write(Buffer.from(text));

  function writeLines(side: DiffSide, sign: string, from: number, to: number): void {
    side.lines.skipTo(from);
    for (let line = from; line < to; line++) {
      say(sign);
      if (!side.lines.takeLine(write)) say("\n\\ No newline at end of file\n");
    }
  }

  function close(): void {
    const first = open[0];
    const last = open.at(-1);
    if (first === undefined || last === undefined) return;
    const contextBefore = Math.min(contextLines, first.oldFirst);
    const oldFirst = first.oldFirst - contextBefore;
    const newFirst = first.newFirst - contextBefore;
    const changesEnd = last.oldFirst + last.oldCount;
    const oldEnd = Math.min(changesEnd + contextLines, oldLineCount);
    const newEnd = last.newFirst + last.newCount + oldEnd - changesEnd;
    if (hunkCount++ === 0) say(`--- ${before.name}\n+++ ${after.name}\n`);
    say(`@@ -${range(oldFirst, oldEnd - oldFirst)} +${range(newFirst, newEnd - newFirst)} @@\n`);
    let oldLine = oldFirst;
    for (const change of open) {
      writeLines(before, " ", oldLine, change.oldFirst);
      oldLine = change.oldFirst + change.oldCount;
      writeLines(before, "-", change.oldFirst, oldLine);
      writeLines(after, "+", change.newFirst, change.newFirst + change.newCount);
    }
    writeLines(before, " ", oldLine, oldEnd);
    open = [];
  }

  return {
    /** Adds the next changes, in order, and writes the hunks that are complete. */
    add(changes: readonly ChangedLines[]): void {
      for (const change of changes) {
        const last = open.at(-1);
        const gap = last === undefined ? 0 : change.oldFirst - (last.oldFirst + last.oldCount);
        if (last !== undefined && gap === 0 && change.newFirst === last.newFirst + last.newCount) {
          const [oldCount, newCount] = [last.oldCount + change.oldCount, last.newCount + change.newCount];
          open[open.length - 1] = { ...last, oldCount, newCount };
          continue;
        }
        if (gap > 2 * contextLines) close();
        open.push(change);
      }
    },
    /** Writes the last hunk. Returns the number of hunks. */
    end(): number {
      close();
      return hunkCount;
    },
  };
}

/** Line numbers count from 1. A count of 1 is left out; for a count of 0 the number is that of the line before. */
function range(first: number, count: number): string {
  if (count === 0) return `${first},0`;
  return count === 1 ? `${first + 1}` : `${first + 1},${count}`;
}

type LineCursor = ReturnType<typeof lineCursor>;

/** A longer way is looked up. */
const WALKED_LINES = 10_000;
export const LINE_FEED = 0x0a;

/**
 * Walks forward through lines, and passes them on in pieces, so that a long one takes no memory. Starts at `content`,
 * which begins with line `atLine`; `contentFrom` looks up where another line starts.
 */
export function lineCursor(
  content: Iterable<Uint8Array>,
  atLine: number,
  contentFrom?: (line: number) => Iterable<Uint8Array>,
) {
  let chunks = content[Symbol.iterator]();
  let chunk: Uint8Array = new Uint8Array(0);
  let at = 0;

  function walkLine(take?: Write): boolean {
    atLine++;
    for (;;) {
      const lineFeed = chunk.indexOf(LINE_FEED, at);
      const to = lineFeed < 0 ? chunk.length : lineFeed + 1;
      take?.(chunk.subarray(at, to));
      at = to;
      if (lineFeed >= 0) return true;
      const next = chunks.next();
      if (next.done === true) return false;
      chunk = next.value;
      at = 0;
    }
  }

  return {
    /** Moves forward to line `line` (from 0). */
    skipTo(line: number): void {
      if (contentFrom !== undefined && line - atLine > WALKED_LINES) {
        chunks.return?.();
        chunks = contentFrom(line)[Symbol.iterator]();
        chunk = new Uint8Array(0);
        at = 0;
        atLine = line;
      }
      while (atLine < line) walkLine();
    },
    /** Passes on the current line with its line end, and moves to the next. Returns whether it has a line end. */
    takeLine: walkLine,
    close(): void {
      chunks.return?.();
    },
  };
}
