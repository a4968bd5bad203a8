/** Counts the lines that a write changes, and says in few words where: `41-43,60`. */

import { countLines } from "../../../fd/system.ts";
import { alignLines, type ChangedLines } from "../../comparing/align_lines.ts";
import { differingMiddle } from "../../comparing/differing_middle.ts";
import { NOTHING_IGNORED } from "../../comparing/ignored_text.ts";
import { lineSums } from "../../comparing/line_sums.ts";
import { currentContent, type NewContent, type Target } from "./inspect_target.ts";

export interface ChangedLineCounts {
  addedCount: number;
  removedCount: number;
  oldLineCount: number;
  newLineCount: number;
  /** The lines of the new file that differ: `41-43,60`. */
  lines: string | undefined;
}

const NOTHING = new Uint8Array(0);

/** Lines (contract, Units) include their line end, so a lost final newline changes the last line. */
export function countChangedLines(
  { target, content }: { target: Target; content: NewContent | undefined },
): ChangedLineCounts {
  const before = target.file === undefined ? NOTHING : target.file.content;
  const after = content === undefined ? NOTHING : content.bytes;
  if (before === undefined || after === undefined) {
    return countBetween(currentContent(target), content?.chunks() ?? [], 0, 0);
  }
  const middle = differingMiddle(before, after);
  const head = after.subarray(0, middle.fromByte);
  const tail = after.subarray(middle.fromByte + middle.after.length);
  return countBetween([middle.before], [middle.after], countLines(head), countLines(tail));
}

/** Counts what differs between two contents with so many common lines before and behind them. */
function countBetween(
  before: Iterable<Uint8Array>,
  after: Iterable<Uint8Array>,
  linesBefore: number,
  linesBehind: number,
): ChangedLineCounts {
  const changes: ChangedLines[] = [];
  let addedCount = 0;
  let removedCount = 0;
  const steps = alignLines(lineSums(before, NOTHING_IGNORED), lineSums(after, NOTHING_IGNORED));
  for (let step = steps.next();; step = steps.next()) {
    if (step.done === true) {
      const oldLineCount = linesBefore + step.value.oldLineCount + linesBehind;
      const newLineCount = linesBefore + step.value.newLineCount + linesBehind;
      const lines = changedLines(changes, newLineCount);
      return { addedCount, removedCount, oldLineCount, newLineCount, lines };
    }
    for (const change of step.value) {
      removedCount += change.oldCount;
      addedCount += change.newCount;
      changes.push({ ...change, newFirst: change.newFirst + linesBefore });
    }
  }
}

/** Further ranges are left out, and a final `…` says so. */
const MAX_RANGES = 20;

/**
 * The lines of the new file that were added or changed, as ranges. Where lines were only removed, the range is the lines
 * around the gap. Undefined if the new file has no lines.
 */
function changedLines(changes: readonly ChangedLines[], newLineCount: number): string | undefined {
  const ranges: { first: number; last: number }[] = [];
  for (const { newFirst, newCount } of changes) {
    const first = Math.max(1, newCount === 0 ? newFirst : newFirst + 1);
    const last = Math.min(newLineCount, newCount === 0 ? newFirst + 1 : newFirst + newCount);
    const before = ranges.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else if (first <= last) ranges.push({ first, last });
  }
  if (ranges.length === 0) return undefined;
  const shown = ranges.slice(0, MAX_RANGES).map(({ first, last }) =>
    first === last ? `${first}` : `${first}-${last}`
  );
  return shown.join(",") + (ranges.length > MAX_RANGES ? ",…" : "");
}
