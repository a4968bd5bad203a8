/** Counts the lines that a write changes, and says in few words where: `41-43,60`. */

import { Buffer } from "node:buffer";
import { countLines } from "../../../fd/mod.ts";
import { alignLines, type ChangedLines } from "../../comparing/align_lines.ts";
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

/** The lines between the common start and the common end of two contents: whole lines, from `fromByte` of both. */
export interface DifferingMiddle {
  fromByte: number;
  before: Uint8Array;
  after: Uint8Array;
}

const LF = 0x0a;
const WINDOW_BYTES = 65_536;

/**
 * The lines in which two contents in memory may differ. An edit changes few lines of a large file: comparing bytes is
 * ten times faster than summing every line of both. The common lines do not affect the counts of added and removed ones.
 *
 * ```ts
 * import { differingMiddle } from "./changed_lines.ts";
 * const bytes = (text: string) => new TextEncoder().encode(text);
 * const { before, after } = differingMiddle(bytes("1\n2\n3\n"), bytes("1\n2b\n3\n"));
 * const text = new TextDecoder();
 * if (text.decode(before) !== "2\n" || text.decode(after) !== "2b\n") throw new Error();
 * ```
 */
export function differingMiddle(before: Uint8Array, after: Uint8Array): DifferingMiddle {
  const shorter = Math.min(before.length, after.length);
  const alike = commonLength(shorter, (at, length) => [
    before.subarray(at, at + length),
    after.subarray(at, at + length),
  ]);
  const fromByte = before.subarray(0, alike).lastIndexOf(LF) + 1;
  const alikeAtEnd = commonLength(shorter - fromByte, (at, length) => [
    before.subarray(before.length - at - length, before.length - at),
    after.subarray(after.length - at - length, after.length - at),
  ]);
  // The line in which the common end begins is whole only after its first LF.
  const feed = before.subarray(before.length - alikeAtEnd).indexOf(LF);
  const common = feed === -1 ? 0 : alikeAtEnd - feed - 1;
  return {
    fromByte,
    before: before.subarray(fromByte, before.length - common),
    after: after.subarray(fromByte, after.length - common),
  };
}

/**
 * The number of equal bytes, 0 to `most`. `pair` returns the `length` bytes of each after the first `at`, counted
 * from either end.
 */
function commonLength(
  most: number,
  pair: (at: number, length: number) => readonly [Uint8Array, Uint8Array],
): number {
  let low = 0;
  for (; low < most; low += WINDOW_BYTES) {
    const [one, other] = pair(low, Math.min(WINDOW_BYTES, most - low));
    if (Buffer.compare(one, other) !== 0) break;
  }
  if (low >= most) return most;
  let high = Math.min(low + WINDOW_BYTES, most);
  const first = low;
  // Invariant: the bytes up to `low` are equal, those up to `high` are not.
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const [one, other] = pair(first, middle - first);
    if (Buffer.compare(one, other) === 0) low = middle;
    else high = middle;
  }
  return low;
}
