/**
 * Writes the unified diff of two fds. Neither contents nor diff are kept in memory: lines are compared by sums, and
 * shown lines are read again.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { type ByteSource, type FdEntry, formatFd, readSlice, type Store } from "../../fd/mod.ts";
import { alignLines } from "./align_lines.ts";
import { type Hunk, hunkHeader, startHunks } from "./diff_hunks.ts";
import type { Ignored } from "./ignored_text.ts";
import { type LineCursor, lineCursor } from "./line_cursor.ts";
import { lineSums } from "./line_sums.ts";

export interface Comparison {
  contextLines: number;
  ignored: Ignored;
}

export interface Differences {
  hunkCount: number;
  addedCount: number;
  removedCount: number;
  /** Whether a shorter diff may exist. */
  isCoarse: boolean;
}

const LINE_FEED = 0x0a;

/**
 * Passes the diff from `before` to `after` to `write`, in pieces that are valid until the next one; nothing if they are
 * equal. Now and then awaits `pause` with the bytes read of both; it may throw to cancel.
 *
 * @throws {FdError} `store_corrupt`, `read_error`; and what `write` throws.
 */
export async function compareFds(
  store: Store,
  before: FdEntry,
  after: FdEntry,
  comparison: Comparison,
  write: (piece: Uint8Array) => void,
  pause: (readBytes: number) => Promise<void>,
): Promise<Differences> {
  const found: Differences = { hunkCount: 0, addedCount: 0, removedCount: 0, isCoarse: false };
  const wholeOf = (entry: FdEntry) => readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount });
  const start = before.id === after.id ? undefined : firstDifference(wholeOf(before), wholeOf(after));
  if (start === undefined) return found;

  let readBytes = 2 * start.byteCount;
  const sumsOf = (entry: FdEntry) =>
    lineSums(
      counted(
        readSlice(store, entry, { fromByte: start.byteCount, toByte: entry.byteCount }),
        (byteLength) => readBytes += byteLength,
      ),
      comparison.ignored,
    );
  const hunks = startHunks(comparison.contextLines, before.lineCount);
  const sides = { before: lineCursor(store, before), after: lineCursor(store, after) };
  const take = (complete: readonly Hunk[]): void => {
    for (const hunk of complete) {
      if (found.hunkCount === 0) writeText(write, `--- ${formatFd(before.id)}\n+++ ${formatFd(after.id)}\n`);
      found.hunkCount++;
      writeHunk(hunk, sides, write);
    }
  };
  try {
    const steps = alignLines(sumsOf(before), sumsOf(after));
    for (let step = steps.next();; step = steps.next()) {
      if (step.done === true) {
        take(hunks.end());
        return { ...found, isCoarse: step.value.isCoarse };
      }
      for (const change of step.value) {
        change.oldFirst += start.lineCount;
        change.newFirst += start.lineCount;
        found.addedCount += change.newCount;
        found.removedCount += change.oldCount;
      }
      take(hunks.add(step.value));
      await pause(readBytes);
    }
  } finally {
    sides.before.close();
    sides.after.close();
  }
}

/** The end of the equal lines at the start, compared chunk by chunk, so it may be early; undefined if all is equal. */
function firstDifference(
  before: ByteSource,
  after: ByteSource,
): { byteCount: number; lineCount: number } | undefined {
  const start = { byteCount: 0, lineCount: 0 };
  const others = after.chunks()[Symbol.iterator]();
  let doneBytes = 0;
  try {
    for (const chunk of before.chunks()) {
      const other = others.next();
      if (other.done === true || Buffer.compare(chunk, other.value) !== 0) return start;
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) {
        start.lineCount++;
        start.byteCount = doneBytes + at + 1;
      }
      doneBytes += chunk.length;
    }
    return others.next().done === true ? undefined : start;
  } finally {
    others.return?.();
  }
}

function* counted(source: ByteSource, count: (byteLength: number) => void): Iterable<Uint8Array> {
  for (const chunk of source.chunks()) {
    count(chunk.length);
    yield chunk;
  }
}

function writeHunk(
  hunk: Hunk,
  { before, after }: { before: LineCursor; after: LineCursor },
  write: (piece: Uint8Array) => void,
): void {
  writeText(write, hunkHeader(hunk));
  const lines = (side: LineCursor, sign: string, from: number, to: number): void => {
    side.skipTo(from);
    for (let line = from; line < to; line++) {
      writeText(write, sign);
      if (!side.takeLine(write)) writeText(write, "\n\\ No newline at end of file\n");
    }
  };
  let oldLine = hunk.oldFirst;
  for (const { oldFirst, oldCount, newFirst, newCount } of hunk.changes) {
    lines(before, " ", oldLine, oldFirst);
    lines(before, "-", oldFirst, oldFirst + oldCount);
    lines(after, "+", newFirst, newFirst + newCount);
    oldLine = oldFirst + oldCount;
  }
  lines(before, " ", oldLine, hunk.oldFirst + hunk.oldCount);
}

function writeText(write: (piece: Uint8Array) => void, text: string): void {
  write(Buffer.from(text));
}
