/**
 * Plausible ranges for record counts (FORMAT.md, "What must hold between numbers"). Seeking and formatting dates rely
 * on them.
 */

/** The last date that `Date` can represent, in milliseconds since 1970. */
export const LAST_MOMENT_MS = 8.64e15;

export interface SealCounts {
  bytes: number;
  chars: number;
  line_feeds: number;
  lines: number;
  pages: number;
}

/** Whether any content can have these counts. */
export function arePossible({ bytes, chars, line_feeds, lines, pages }: SealCounts): boolean {
  return chars <= bytes && line_feeds <= chars && (lines === line_feeds || lines === line_feeds + 1) &&
    pages >= 1 && pages <= Math.max(1, chars);
}
