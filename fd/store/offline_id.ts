/**
 * Ids that a host takes without asking the shared store: random ones in [2^46, 2^47), far above those that are counted.
 * The lower half is for fds that are shared later, under `off/`; the upper half for those that stay on their host.
 */

import { FIRST_OFFLINE_ID } from "./fd_id.ts";

const FIRST = FIRST_OFFLINE_ID;
const FIRST_KEPT = FIRST + 2 ** 45;
const LAST = 2 ** 47;

/** Returns a random id; of fds that stay on this host if `isKept`. */
export function offlineId(isKept: boolean): number {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  const random = (high! & 0x1fff) * 2 ** 32 + low!;
  return (isKept ? FIRST_KEPT : FIRST) + random;
}

/** Whether an id was taken without asking the shared store. */
export function isOffline(id: number): boolean {
  return id >= FIRST && id < LAST;
}

/** Whether the fd with this id is never shared. */
export function isKeptOnHost(id: number): boolean {
  return id >= FIRST_KEPT && id < LAST;
}
