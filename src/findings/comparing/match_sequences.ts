/**
 * Finds a common subsequence of two sequences, the longest or close to it, in bounded time.
 *
 * Elements that one side lacks are removed first: they cannot match, and the rest is often equal. The rest is split
 * where two shortest edit scripts, searched from both ends, meet (E. W. Myers, "An O(ND) Difference Algorithm and Its
 * Variations", 1986, section 4b). A search that takes too long splits at the farthest place it reached; the result is
 * then called coarse.
 */

/** 1 for each element that is not in the common subsequence, 0 for the others. */
export interface SequenceMatch {
  oldChanged: Uint8Array;
  newChanged: Uint8Array;
  /** Whether a longer common subsequence may exist. */
  isCoarse: boolean;
}

/** Edits searched from each end of a part before it is split at the farthest place. */
const MAX_EDITS = 256;
/** The index of diagonal 0 in a table of diagonals. */
const MIDDLE = MAX_EDITS + 1;

interface Part {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
}

/** Matches two sequences of elements, which are numbers from 0 to `elementCount - 1`. */
export function matchSequences(before: Int32Array, after: Int32Array, elementCount: number): SequenceMatch {
  const oldChanged = new Uint8Array(before.length);
  const newChanged = new Uint8Array(after.length);
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;

  const inOld = occurring(before.subarray(head, before.length - tail), elementCount);
  const inNew = occurring(after.subarray(head, after.length - tail), elementCount);
  const oldShared = sharedIndices(before, head, before.length - tail, inNew, oldChanged);
  const newShared = sharedIndices(after, head, after.length - tail, inOld, newChanged);
  const a = oldShared.map((index) => before[index]!);
  const b = newShared.map((index) => after[index]!);

  let isCoarse = false;
  const search = startSearch(a, b);
  const open: Part[] = [{ oldFrom: 0, oldTo: a.length, newFrom: 0, newTo: b.length }];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    let { oldFrom, oldTo, newFrom, newTo } = part;
    while (oldFrom < oldTo && newFrom < newTo && a[oldFrom] === b[newFrom]) oldFrom++, newFrom++;
    while (oldFrom < oldTo && newFrom < newTo && a[oldTo - 1] === b[newTo - 1]) oldTo--, newTo--;
    if (oldFrom === oldTo || newFrom === newTo) {
      for (; oldFrom < oldTo; oldFrom++) oldChanged[oldShared[oldFrom]!] = 1;
      for (; newFrom < newTo; newFrom++) newChanged[newShared[newFrom]!] = 1;
      continue;
    }
    const place = search({ oldFrom, oldTo, newFrom, newTo });
    isCoarse ||= place.isCoarse;
    const oldMiddle = oldFrom + place.old;
    const newMiddle = newFrom + place.new;
    open.push({ oldFrom: oldMiddle, oldTo, newFrom: newMiddle, newTo });
    open.push({ oldFrom, oldTo: oldMiddle, newFrom, newTo: newMiddle });
  }
  return { oldChanged, newChanged, isCoarse };
}

function occurring(elements: Int32Array, elementCount: number): Uint8Array {
  const occurs = new Uint8Array(elementCount);
  for (let index = 0; index < elements.length; index++) occurs[elements[index]!] = 1;
  return occurs;
}

/** The indices in `[from, to)` of elements that the other side has; marks the others as changed. */
function sharedIndices(
  elements: Int32Array,
  from: number,
  to: number,
  inOther: Uint8Array,
  changed: Uint8Array,
): Int32Array {
  const shared = new Int32Array(to - from);
  let count = 0;
  for (let index = from; index < to; index++) {
    if (inOther[elements[index]!] === 1) shared[count++] = index;
    else changed[index] = 1;
  }
  return shared.subarray(0, count);
}

/** Marks a diagonal that no edit script has reached. */
const UNREACHED = -1;

/**
 * Makes a search for the place to split a part that begins and ends with a difference. All parts share its two tables:
 * `forward[MIDDLE + k]` is how far from the start an edit script got on diagonal k, in old elements; `backward[MIDDLE +
 * k]` how far from the end, with both sequences reversed.
 */
function startSearch(a: Int32Array, b: Int32Array) {
  const forward = new Int32Array(2 * MIDDLE + 1);
  const backward = new Int32Array(2 * MIDDLE + 1);

  return ({ oldFrom, oldTo, newFrom, newTo }: Part) => {
    const oldCount = oldTo - oldFrom;
    const newCount = newTo - newFrom;
    const delta = oldCount - newCount;
    const meetsForward = delta % 2 !== 0;
    for (const table of [forward, backward]) table.fill(UNREACHED, MIDDLE - 1, MIDDLE + 2);
    for (let edits = 0;; edits++) {
      for (const table of [forward, backward]) {
        table[MIDDLE - edits - 1] = UNREACHED;
        table[MIDDLE + edits + 1] = UNREACHED;
      }
      const lowest = -edits + 2 * Math.max(0, edits - newCount);
      const highest = edits - 2 * Math.max(0, edits - oldCount);
      for (let k = lowest; k <= highest; k += 2) {
        let x = edits === 0 ? 0 : stepTo(forward, k, oldCount, newCount);
        if (x === UNREACHED) continue;
        while (x < oldCount && x - k < newCount && a[oldFrom + x] === b[newFrom + x - k]) x++;
        forward[MIDDLE + k] = x;
        const other = delta - k;
        if (!meetsForward || Math.abs(other) >= edits) continue;
        const met = backward[MIDDLE + other]!;
        if (met !== UNREACHED && x + met >= oldCount) return { old: x, new: x - k, isCoarse: false };
      }
      for (let k = lowest; k <= highest; k += 2) {
        let x = edits === 0 ? 0 : stepTo(backward, k, oldCount, newCount);
        if (x === UNREACHED) continue;
        while (x < oldCount && x - k < newCount && a[oldTo - 1 - x] === b[newTo - 1 - x + k]) x++;
        backward[MIDDLE + k] = x;
        const other = delta - k;
        if (meetsForward || Math.abs(other) > edits) continue;
        const met = forward[MIDDLE + other]!;
        if (met !== UNREACHED && x + met >= oldCount) {
          return { old: oldCount - x, new: newCount - (x - k), isCoarse: false };
        }
      }
      if (edits === MAX_EDITS) {
        const ahead = farthest(forward, lowest, highest);
        const back = farthest(backward, lowest, highest);
        return ahead.old + ahead.new >= back.old + back.new
          ? { ...ahead, isCoarse: true }
          : { old: oldCount - back.old, new: newCount - back.new, isCoarse: true };
      }
    }
  };
}

/** The farthest place on diagonal `k` that one more edit reaches inside the part. */
function stepTo(reached: Int32Array, k: number, oldCount: number, newCount: number): number {
  let x = reached[MIDDLE + k]!;
  const removed = reached[MIDDLE + k - 1]!;
  if (removed !== UNREACHED && removed < oldCount && removed + 1 > x) x = removed + 1;
  const added = reached[MIDDLE + k + 1]!;
  if (added !== UNREACHED && added - k <= newCount && added > x) x = added;
  return x;
}

/** The place on diagonals `lowest` to `highest` with the most elements of both sides before it. */
function farthest(reached: Int32Array, lowest: number, highest: number): { old: number; new: number } {
  let best = { old: 0, new: 0 };
  for (let k = lowest; k <= highest; k += 2) {
    const x = reached[MIDDLE + k]!;
    if (x !== UNREACHED && x + x - k > best.old + best.new) best = { old: x, new: x - k };
  }
  return best;
}
