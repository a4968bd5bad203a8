/**
 * How much each group of fds has, so that a cleaner need not look at all of them (SHARED.md, "Listings").
 */

import { nodeZlib } from "../disk/loaded_late.ts";
import { isCount } from "../records/record_line.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import { decodeCheckedObject, encodeCheckedObject } from "./checked_object.ts";
import type { ListedFd } from "./list_shared.ts";
import { TOTALS_GROUPS, totalsKey } from "./shared_keys.ts";

/** Totals of the fds of a group, without removed ones. */
export interface GroupTotals {
  /** When the group was listed, by the server's clock. */
  atMs: number;
  fdCount: number;
  /** Bytes of objects and segments. */
  byteCount: number;
}

/** Bytes that an fd takes in the bucket. */
export function storedBytesOf({ objectBytes, log }: Pick<ListedFd, "objectBytes" | "log">): number {
  return objectBytes + (log.tomb === undefined ? log.stored?.bytes ?? 0 : 0);
}

export function totalsOf(fds: readonly ListedFd[], atMs: number): GroupTotals {
  const left = fds.filter(({ log }) => log.tomb === undefined);
  return { atMs, fdCount: left.length, byteCount: left.reduce((sum, fd) => sum + storedBytesOf(fd), 0) };
}

/** The totals of the groups before `groupCount`, by group, as they were last written. */
export async function readTotals(
  objects: ObjectStore,
  groupCount: number,
): Promise<Map<number, GroupTotals>> {
  const totals = new Map<number, GroupTotals>();
  for (let million = 0; million * TOTALS_GROUPS < groupCount; million++) {
    const part = await objects.get(totalsKey(million));
    if (part === null) continue;
    for (const [group, atMs, fdCount, byteCount] of rowsIn(part.bytes)) {
      if (isCount(group) && isCount(atMs) && isCount(fdCount) && isCount(byteCount)) {
        totals.set(group, { atMs, fdCount, byteCount });
      }
    }
  }
  return totals;
}

/** Writes the totals of the millions that have a group in `changed`. Only the holder of the lease does. */
export async function writeTotals(
  objects: ObjectStore,
  totals: ReadonlyMap<number, GroupTotals>,
  changed: ReadonlySet<number>,
): Promise<void> {
  const millions = new Set([...changed].map((group) => Math.floor(group / TOTALS_GROUPS)));
  for (const million of millions) {
    const groups = [...totals].filter(([group]) => Math.floor(group / TOTALS_GROUPS) === million)
      .map(([group, { atMs, fdCount, byteCount }]) => [group, atMs, fdCount, byteCount]);
    const bytes = new Uint8Array(nodeZlib().gzipSync!(encodeCheckedObject({ groups })));
    await objects.put(totalsKey(million), bytes);
  }
}

function rowsIn(bytes: Uint8Array): unknown[][] {
  try {
    const text = nodeZlib().gunzipSync!(bytes, { maxOutputLength: 2 ** 20 });
    const value = decodeCheckedObject(text);
    const rows = value !== undefined && "groups" in value ? value.groups : undefined;
    return Array.isArray(rows) ? rows.filter(Array.isArray) : [];
  } catch {
    return [];
  }
}
