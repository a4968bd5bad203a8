/**
 * Writes the unified diff of two fds. Neither contents nor diff are kept in memory: lines are compared by sums, and
 * shown lines are read again.
 */

import { Buffer } from "node:buffer";
import {
  type ByteSource,
  type FdEntry,
  formatFd,
  locateSlice,
  needsCleaningIn,
  readSlice,
  type Store,
  usedContent,
} from "../../fd/mod.ts";
import { cleanChunks, Cleaning } from "../../fd/system.ts";
import { alignLines, type ChangedLines } from "../findings/comparing/align_lines.ts";
import { type Ignored, NOTHING_IGNORED } from "../findings/comparing/ignored_text.ts";
import { lineSums } from "../findings/comparing/line_sums.ts";
import { type DiffSide, lineCursor, startDiff, type Write } from "../findings/comparing/write_hunks.ts";

interface Comparison {
  contextLines: number;
  ignored: Ignored;
  /** Whether stored text is compared, and not its clean view. */
  isExact: boolean;
  /** Count the lines that are equal only because of what is ignored, which takes another reading of both. */
  countsDisguised?: boolean | undefined;
}

export interface Differences {
  hunkCount: number;
  addedCount: number;
  removedCount: number;
  /** Whether a shorter diff may exist. */
  isCoarse: boolean;
  /** Whether the stored bytes are the same. */
  hasSameBytes: boolean;
  /** Chars that the clean view left out of what was compared line by line. */
  leftOutChars: number;
  /** If requested: lines of both that differ only in what is ignored. */
  disguisedCount: number;
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
  write: Write,
  pause: (readBytes: number) => Promise<void>,
): Promise<Differences> {
  const counts = { hunkCount: 0, addedCount: 0, removedCount: 0, leftOutChars: 0, disguisedCount: 0 };
  const found: Differences = { ...counts, isCoarse: false, hasSameBytes: true };
  const wholeOf = (entry: FdEntry) => readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount });
  const start = before.id === after.id ? undefined : firstDifference(wholeOf(before), wholeOf(after));
  const storedSum = ({ decoded, sum }: FdEntry) => (decoded?.stored ?? { sum }).sum;
  if (start === undefined) return { ...found, hasSameBytes: storedSum(before) === storedSum(after) };
  found.hasSameBytes = false;

  let readBytes = 2 * start.byteCount;
  const isCleaned = (entry: FdEntry) =>
    !comparison.isExact && needsCleaningFrom(store, entry, start.byteCount);
  const cleaned = { before: isCleaned(before), after: isCleaned(after) };
  const cleanings = { before: new Cleaning(), after: new Cleaning() };
  const sumsOf = (side: "before" | "after", ignored: Ignored, cleaning?: Cleaning) => {
    const entry = side === "before" ? before : after;
    const rest = readSlice(store, entry, { fromByte: start.byteCount, toByte: entry.byteCount });
    const chunks = counted(rest, (byteLength) => readBytes += byteLength);
    return lineSums(cleaned[side] ? cleanChunks(chunks, cleaning) : chunks, ignored);
  };
  const counter = comparison.countsDisguised === true
    ? disguisedCounter(sumsOf("before", NOTHING_IGNORED), sumsOf("after", NOTHING_IGNORED))
    : undefined;
  const sides = [sideOf(store, before, cleaned.before), sideOf(store, after, cleaned.after)] as const;
  const diff = startDiff(sides, comparison.contextLines, before.lineCount, write);
  try {
    const steps = alignLines(
      sumsOf("before", comparison.ignored, cleanings.before),
      sumsOf("after", comparison.ignored, cleanings.after),
    );
    for (let step = steps.next();; step = steps.next()) {
      if (step.done === true) {
        const hunkCount = diff.end();
        const leftOutChars = cleanings.before.leftOutChars + cleanings.after.leftOutChars;
        const disguisedCount = counter?.end() ?? 0;
        return { ...found, hunkCount, isCoarse: step.value.isCoarse, leftOutChars, disguisedCount };
      }
      for (const change of step.value) {
        counter?.pass(change);
        change.oldFirst += start.lineCount;
        change.newFirst += start.lineCount;
        found.addedCount += change.newCount;
        found.removedCount += change.oldCount;
      }
      diff.add(step.value);
      await pause(readBytes);
    }
  } finally {
    for (const { lines } of sides) lines.close();
  }
}

/** A side of the diff; its lines are those of the clean view if `isCleaned`. */
function sideOf(store: Store, entry: FdEntry, isCleaned: boolean): DiffSide {
  const chunksFrom = (fromByte: number): Iterable<Uint8Array> => {
    const stored = readSlice(store, entry, { fromByte, toByte: entry.byteCount }).chunks();
    return isCleaned ? cleanChunks(stored) : stored;
  };
  const lines = lineCursor(chunksFrom(0), 0, (line) => {
    // A side without lines in a change may be skipped to its end, which is not the start of a line.
    if (line >= entry.lineCount) return chunksFrom(entry.byteCount);
    return chunksFrom(locateSlice(store, entry, { mode: "line", start: line + 1 }).fromByte);
  });
  return { name: formatFd(entry.id), lines };
}

function needsCleaningFrom(store: Store, entry: FdEntry, fromByte: number): boolean {
  using content = usedContent(store, entry);
  return needsCleaningIn(content, fromByte, entry.byteCount);
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

/** Takes the sums of both contents' lines, with nothing ignored, from the line at which changes are numbered 0. */
function disguisedCounter(before: Iterable<number>, after: Iterable<number>) {
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
    /** Takes the next change. Lines before it are pairs. */
    pass({ oldFirst, oldCount, newCount }: ChangedLines): void {
      pairUntil(oldFirst);
      for (let line = 0; line < oldCount; line++) older.next();
      for (let line = 0; line < newCount; line++) newer.next();
      oldLine += oldCount;
    },
    /** Ends both contents. Returns how many pairs differ. */
    end(): number {
      pairUntil(Infinity);
      return count;
    },
  };
}
