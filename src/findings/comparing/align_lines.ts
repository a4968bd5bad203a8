/**
 * Finds which lines of two contents of any size differ. Lines are matched window by window, each ending at a match, so
 * that memory does not grow with the contents. If no match is far enough into a window, its first half counts as
 * changed, and the result is called coarse.
 */

import { matchSequences, type SequenceMatch } from "./match_sequences.ts";

/** A run of lines that became another run. Numbers start from 0; one of the counts may be 0. */
export interface ChangedLines {
  oldFirst: number;
  oldCount: number;
  newFirst: number;
  newCount: number;
}

/** Lines of each side that are matched at once: equal lines this far apart are still found. */
const WINDOW_LINES = 262_144;
const FIRST_LINES = 1024;

/** Offsets into the windows of both sides. */
interface Place {
  old: number;
  new: number;
}

/**
 * Yields batches of changes in order, from the sums of both sides' lines; at the end whether a shorter diff may exist, and the
 * lines of both contents. Tests set `windowLines`.
 */
export function* alignLines(
  before: Iterable<number>,
  after: Iterable<number>,
  windowLines = WINDOW_LINES,
): Generator<ChangedLines[], { isCoarse: boolean; oldLineCount: number; newLineCount: number }, undefined> {
  const [older, newer] = [startSide(before, windowLines), startSide(after, windowLines)];
  let isCoarse = false;
  for (;;) {
    refill(older, windowLines);
    refill(newer, windowLines);
    const { oldElements, newElements, elementCount } = numberElements(
      older.sums.subarray(0, older.count),
      newer.sums.subarray(0, newer.count),
    );
    const match = matchSequences(oldElements, newElements, elementCount);
    isCoarse ||= match.isCoarse;
    const whole = { old: older.count, new: newer.count };
    if (older.isAtEnd && newer.isAtEnd) {
      yield changesUntil(match, whole, whole, older.firstLine, newer.firstLine);
      const oldLineCount = older.firstLine + older.count;
      const newLineCount = newer.firstLine + newer.count;
      return { isCoarse, oldLineCount, newLineCount };
    }
    const matched = lastMatch(match, whole, Math.ceil(windowLines * 3 / 4));
    let end = matched;
    if (Math.max(matched.old, matched.new) < windowLines / 4) {
      const half = Math.ceil(windowLines / 2);
      end = { old: Math.min(whole.old, half), new: Math.min(whole.new, half) };
      const oneSideEnds = older.isAtEnd || newer.isAtEnd;
      isCoarse ||= !oneSideEnds || hasMatch(match, matched, end);
    }
    yield changesUntil(match, matched, end, older.firstLine, newer.firstLine);
    drop(older, end.old);
    drop(newer, end.new);
  }
}

/** One side: the sums of its lines in the window, and the source of further ones. */
function startSide(lines: Iterable<number>, windowLines: number) {
  return {
    lines: lines[Symbol.iterator](),
    isAtEnd: false,
    /** Grows up to the size of a window. */
    sums: new Float64Array(Math.min(windowLines, FIRST_LINES)),
    count: 0,
    /** The window's first line, from 0. */
    firstLine: 0,
  };
}

type Side = ReturnType<typeof startSide>;

function refill(side: Side, windowLines: number): void {
  while (!side.isAtEnd && side.count < windowLines) {
    const { done, value } = side.lines.next();
    if (done === true) {
      side.isAtEnd = true;
      return;
    }
    if (side.count === side.sums.length) {
      const larger = new Float64Array(Math.min(windowLines, 2 * side.count));
      larger.set(side.sums);
      side.sums = larger;
    }
    side.sums[side.count++] = value;
  }
}

function drop(side: Side, count: number): void {
  side.sums.copyWithin(0, count, side.count);
  side.count -= count;
  side.firstLine += count;
}

/** The end of the last match before `limit` on both sides. */
function lastMatch({ oldChanged, newChanged }: SequenceMatch, whole: Place, limit: number): Place {
  const end = { old: 0, new: 0 };
  for (let oldAt = 0, newAt = 0;; oldAt++, newAt++) {
    while (oldAt < whole.old && oldChanged[oldAt] === 1) oldAt++;
    while (newAt < whole.new && newChanged[newAt] === 1) newAt++;
    if (oldAt >= Math.min(limit, whole.old) || newAt >= Math.min(limit, whole.new)) return end;
    end.old = oldAt + 1;
    end.new = newAt + 1;
  }
}

function hasMatch({ oldChanged, newChanged }: SequenceMatch, from: Place, to: Place): boolean {
  return oldChanged.subarray(from.old, to.old).includes(0) ||
    newChanged.subarray(from.new, to.new).includes(0);
}

/** The changes up to `end`: those before `matched`, where a match ends, and one for the rest. */
function changesUntil(
  { oldChanged, newChanged }: SequenceMatch,
  matched: Place,
  end: Place,
  oldFirstLine: number,
  newFirstLine: number,
): ChangedLines[] {
  const changes: ChangedLines[] = [];
  let oldAt = 0;
  let newAt = 0;
  while (oldAt < end.old || newAt < end.new) {
    const [oldFrom, newFrom] = [oldAt, newAt];
    while (oldAt < end.old && (oldAt >= matched.old || oldChanged[oldAt] === 1)) oldAt++;
    while (newAt < end.new && (newAt >= matched.new || newChanged[newAt] === 1)) newAt++;
    if (oldAt > oldFrom || newAt > newFrom) {
      const oldFirst = oldFirstLine + oldFrom;
      const newFirst = newFirstLine + newFrom;
      changes.push({ oldFirst, oldCount: oldAt - oldFrom, newFirst, newCount: newAt - newFrom });
    }
    while (oldAt < matched.old && newAt < matched.new && oldChanged[oldAt] === 0 && newChanged[newAt] === 0) {
      oldAt++;
      newAt++;
    }
  }
  return changes;
}

/**
 * Numbers the values of two lists, integers from 0 to 2^53 - 1; equal values get the same number. The hash table is two
 * flat arrays, because a `Map` of half a million lines takes many times the memory of the lines.
 */
function numberElements(before: Float64Array, after: Float64Array) {
  const slotCount = 2 ** Math.ceil(Math.log2(2 * (before.length + after.length) + 1));
  const values = new Float64Array(slotCount);
  /** The number of the value in each slot, from 1; 0 for an empty slot. */
  const numbers = new Int32Array(slotCount);
  let elementCount = 0;
  const numbered = (list: Float64Array): Int32Array => {
    const elements = new Int32Array(list.length);
    for (let index = 0; index < list.length; index++) {
      const value = list[index]!;
      let slot = value & (slotCount - 1);
      while (numbers[slot] !== 0 && values[slot] !== value) slot = (slot + 1) & (slotCount - 1);
      if (numbers[slot] === 0) {
        values[slot] = value;
        numbers[slot] = ++elementCount;
      }
      elements[index] = numbers[slot]! - 1;
    }
    return elements;
  };
  return { oldElements: numbered(before), newElements: numbered(after), elementCount };
}
