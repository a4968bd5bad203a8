/** Moments and durations as people read them. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * How long ago `atMs` was, in the largest unit that gives at least 1: `now` below a minute and for the future, then
 * `5 min`, `3 h`, `12 d`, `2 y`.
 */
export function ageText(atMs: number, nowMs: number): string {
  const age = nowMs - atMs;
  if (!(age >= MINUTE)) return "now";
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min`;
  if (age < DAY) return `${Math.floor(age / HOUR)} h`;
  const days = Math.floor(age / DAY);
  return days < 365 ? `${days} d` : `${Math.floor(days / 365)} y`;
}

/** `5 min ago`; `just now` below a minute. */
export function agoText(atMs: number, nowMs: number): string {
  const age = ageText(atMs, nowMs);
  return age === "now" ? "just now" : `${age} ago`;
}

/** A moment by the caller's clock: `2026-11-23 19:30:12`. */
export function clockText(atMs: number): string {
  // As Sweden writes it.
  return new Date(atMs).toLocaleString("sv-SE");
}

/** How long something took: `340 ms`, `3.2 s`, `2 min 5 s`, `1 h 3 min`. */
export function durationText(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < MINUTE - 50) return `${(ms / SECOND).toFixed(1)} s`;
  const seconds = Math.round(ms / SECOND);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How far ahead the clock jumped, in whole days. */
export function daysAhead(clockAheadMs: number): number {
  return Math.round(clockAheadMs / DAY);
}

/**
 * The fds that only a jumped clock makes too old, as the object of a sentence: `1 fd that looks too old`. `count` is at
 * least 1.
 */
export function doubtedFds(count: number): string {
  return count === 1 ? "1 fd that looks too old" : `${count} fds that look too old`;
}
