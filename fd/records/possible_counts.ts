/**
 * What the numbers of a record can be at all (FORMAT.md, "What must hold between numbers"). Whoever seeks by them, or shows
 * them as dates, relies on it.
 *
 * @module
 */

/** The last moment that dates know, in milliseconds since 1970. */
export const LAST_MOMENT_MS = 8.64e15;

/** The counts of a seal, as they stand in its line. */
export interface SealCounts {
  bytes: number;
  chars: number;
  line_feeds: number;
  lines: number;
  pages: number;
}

/** Whether some content could come to these counts. */
export function arePossible({ bytes, chars, line_feeds, lines, pages }: SealCounts): boolean {
  return chars <= bytes && line_feeds <= chars && (lines === line_feeds || lines === line_feeds + 1) &&
    pages >= 1 && pages <= Math.max(1, chars);
}
