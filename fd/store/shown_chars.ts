/**
 * Notes how much answers showed of fds to programs (FORMAT.md, "What was shown"), for `stats`. Losing a line costs a number,
 * so nothing is synced, and no failure is reported.
 */

import { countToday, eventsByDay } from "../disk/day_counts.ts";
import type { Store } from "./open_store.ts";
import { shownPath } from "./store_paths.ts";

/** An answer that showed something of an fd. */
interface ShownChars {
  /** `2026-01-31`, in UTC. */
  day: string;
  /** N of `fd:N`. */
  id: number;
  /** Of the answer, with the words around content. */
  charCount: number;
  /** The chars of the fd, if the answer said that it was stored; undefined if the fd was read later. */
  storedChars: number | undefined;
}

const LOG = "day";
/** The days that are kept, in UTC. */
export const SHOWN_DAYS = 31;
const LIMITS = { days: SHOWN_DAYS, dayBytes: 1_048_576 };

/** Notes an answer; `storedChars` as in {@link ShownChars}. */
export function noteShown(
  store: Pick<Store, "path">,
  id: string,
  charCount: number,
  storedChars: number | undefined,
): void {
  const what = storedChars === undefined ? `read:${id}` : `stored:${id}:${storedChars}`;
  countToday(shownPath(store.path), LOG, what, charCount, LIMITS);
}

/** Lists what was noted, the oldest first. */
export function* listShown(store: Store): Iterable<ShownChars> {
  for (const [day, events] of eventsByDay(shownPath(store.path), LOG)) {
    for (const [what, charCount] of events) {
      const [, id, stored] = /^(?:read:(?=\d+$)|stored:(?=\d+:))(\d+)(?::(\d+))?$/.exec(what) ?? [];
      if (id === undefined) continue;
      yield {
        day,
        id: Number(id),
        charCount,
        storedChars: stored === undefined ? undefined : Number(stored),
      };
    }
  }
}
