const DAY_MS = 24 * 60 * 60 * 1000;

/** How far ahead the clock jumped, in whole days. */
export function daysAhead(clockAheadMs: number): number {
  return Math.round(clockAheadMs / DAY_MS);
}

/**
 * The fds that only a jumped clock makes too old, as the object of a sentence: `1 fd that looks too old`. `count` is at
 * least 1.
 */
export function doubtedFds(count: number): string {
  return count === 1 ? "1 fd that looks too old" : `${count} fds that look too old`;
}
