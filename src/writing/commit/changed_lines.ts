/** Says in few words where a write changed a file: `41-43,60`. */

import type { ChangedLines } from "../../comparing/align_lines.ts";

/** Further ranges are left out, and a final `…` says so. */
const MAX_RANGES = 20;

/**
 * The lines of the new file that were added or changed, as ranges. Where lines were only removed, the range is the lines
 * around the gap. Undefined if the new file has no lines.
 *
 * ```ts
 * import { changedLines } from "./changed_lines.ts";
 * const replaced = { oldFirst: 40, oldCount: 1, newFirst: 40, newCount: 3 };
 * const removed = { oldFirst: 60, oldCount: 2, newFirst: 62, newCount: 0 };
 * if (changedLines([replaced, removed], 90) !== "41-43,62-63") throw new Error();
 * ```
 */
export function changedLines(changes: readonly ChangedLines[], newLineCount: number): string | undefined {
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
