/**
 * Lets the store clean itself, rarely and cheaply (contract, The store). Loads the cleanup code only when it is due.
 */

import { constants } from "node:fs";
import type { GcReport } from "./collect_garbage.ts";
import { disk } from "../disk/disk.ts";
import { ifPossible } from "../disk/errors.ts";
import { makeStore, type Store } from "../store/open_store.ts";
import { NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import { sweptPath } from "../store/store_paths.ts";

/** Minimum time between automatic cleanups. */
const SWEEP_EVERY_MS = 60 * 60 * 1000;

/** Whether {@link sweepSometimes} has something to do. Checks one file; if that fails, a later call checks again. */
export function isSweepDue(store: Store, nowMs: number): boolean {
  // What all hosts share is cleaned by `gc` alone, and a cache has bounds of its own.
  if (store.backend.host !== undefined) return false;
  return ifPossible(() => {
    const swept = disk.stat(sweptPath(store.path), { throwIfNoEntry: false })?.mtimeMs;
    // A date far ahead is from before the clock was set back; waiting for it could take years.
    return swept === undefined || Math.abs(nowMs - swept) >= SWEEP_EVERY_MS;
  }) ?? false;
}

/** Approximate limit per sweep, the rest is left to the next one: removed content is read for its sha-256. */
const MAX_BYTES = 256 * 2 ** 20;

const DAY_MS = 24 * 60 * 60 * 1000;

/** A sweep packs content of at least this size that was not read for a day, about this much at most: half a second. */
const PACKED_FROM_BYTES = 2 ** 20;
const MAX_PACKED_BYTES = 64 * 2 ** 20;

/**
 * Cleans the store unless that was done within the last hour. Preserves the ids in `spared`. Returns undefined if it
 * did nothing.
 */
export async function sweepSometimes(
  store: Store,
  nowMs: number,
  spared?: readonly number[],
): Promise<GcReport | undefined> {
  if (!isSweepDue(store, nowMs)) return undefined;
  const path = sweptPath(store.path);
  const lastSweptMs = ifPossible(() => {
    const sweptMs = disk.stat(path, { throwIfNoEntry: false })?.mtimeMs;
    makeStore(store);
    disk.close(openPrivate(path, constants.O_WRONLY | constants.O_CREAT | NO_FOLLOW));
    disk.utimes(path, nowMs / 1000, nowMs / 1000);
    return sweptMs;
  });
  // A new store needs no cleanup yet.
  if (lastSweptMs === undefined) return undefined;
  const { collectGarbage } = await import("./collect_garbage.ts");
  const report = await collectGarbage(store, {
    nowMs,
    spared,
    lastSweptMs,
    mostBytes: MAX_BYTES,
    pack: { leastBytes: PACKED_FROM_BYTES, unreadForMs: DAY_MS, mostBytes: MAX_PACKED_BYTES },
  });
  // The next call continues. If this fails, a sweep is due in an hour.
  const dueSeconds = (nowMs - SWEEP_EVERY_MS) / 1000;
  if (!report.isAll) ifPossible(() => disk.utimes(path, dueSeconds, dueSeconds));
  return report;
}
