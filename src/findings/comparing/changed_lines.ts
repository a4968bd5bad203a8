/** Counts the lines that a write changes, and says in few words where: `41-43,60`. */

import { countLines } from "../../../fd/system.ts";
import { alignLines, type ChangedLines } from "./align_lines.ts";
import { differingMiddle } from "./differing_middle.ts";
import { NOTHING_IGNORED } from "./ignored_text.ts";
import { lineSums } from "./line_sums.ts";

export interface ChangedLineCounts {
  addedCount: number;
  removedCount: number;
  oldLineCount: number;
  newLineCount: number;
  /** The lines of the new file that differ: `41-43,60`. */
  lines: string | undefined;
}

/** Content in pieces and, if it is in memory, as a whole. */
interface Content {
  chunks(): Iterable<Uint8Array>;
  bytes?: Uint8Array | undefined;
}

const NONE: Content = { chunks: () => [], bytes: new Uint8Array(0) };

/** Lines (contract, Units) include their line end, so a lost final newline changes the last line. */
export function countChangedLines(old: Content, changed: Content = NONE): ChangedLineCounts {
  const { bytes: before } = old;
  const { bytes: after } = changed;
  if (before === undefined || after === undefined) return countBetween(old.chunks(), changed.chunks(), 0, 0);
  const middle = differingMiddle(before, after);
  const linesBefore = countLines(after.subarray(0, middle.fromByte));
  const linesBehind = countLines(after.subarray(middle.fromByte + middle.after.length));
  const oldCount = countLines(middle.before);
  const newCount = countLines(middle.after);
  // One differing line on each side, or none on one: nothing to align.
  const mayShareLines = oldCount > 0 && newCount > 0 && oldCount + newCount > 2;
  if (mayShareLines) return countBetween([middle.before], [middle.after], linesBefore, linesBehind);
  const changes = oldCount + newCount === 0 ? [] : [{ oldCount, newFirst: linesBefore, newCount }];
  const linesAround = linesBefore + linesBehind;
  return countsOf(changes, linesAround + oldCount, linesAround + newCount);
}

/** Counts what differs between two contents with so many common lines before and behind them. */
function countBetween(
  before: Iterable<Uint8Array>,
  after: Iterable<Uint8Array>,
  linesBefore: number,
  linesBehind: number,
): ChangedLineCounts {
  const changes: ChangedLines[] = [];
  const steps = alignLines(lineSums(before, NOTHING_IGNORED), lineSums(after, NOTHING_IGNORED));
  for (let step = steps.next();; step = steps.next()) {
    if (step.done === true) {
      const linesAround = linesBefore + linesBehind;
      return countsOf(changes, linesAround + step.value.oldLineCount, linesAround + step.value.newLineCount);
    }
    for (const change of step.value) changes.push({ ...change, newFirst: change.newFirst + linesBefore });
  }
}

/** Further ranges are left out, and a final `…` says so. */
const MAX_RANGES = 20;

/**
 * The counts of changes, and the lines of the new file that were added or changed, as ranges. Where lines were only
 * removed, the range is the lines around the gap. A new file without lines has no ranges.
 */
function countsOf(
  changes: readonly Omit<ChangedLines, "oldFirst">[],
  oldLineCount: number,
  newLineCount: number,
): ChangedLineCounts {
  let addedCount = 0;
  let removedCount = 0;
  const ranges: { first: number; last: number }[] = [];
  for (const { oldCount, newFirst, newCount } of changes) {
    removedCount += oldCount;
    addedCount += newCount;
    const first = Math.max(1, newCount === 0 ? newFirst : newFirst + 1);
    const last = Math.min(newLineCount, newCount === 0 ? newFirst + 1 : newFirst + newCount);
    const before = ranges.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else if (first <= last) ranges.push({ first, last });
  }
  let lines: string | undefined;
  for (const { first, last } of ranges.slice(0, MAX_RANGES)) {
    const range = first === last ? `${first}` : `${first}-${last}`;
    lines = lines === undefined ? range : `${lines},${range}`;
  }
  if (ranges.length > MAX_RANGES) lines += ",…";
  return { addedCount, removedCount, oldLineCount, newLineCount, lines };
}
